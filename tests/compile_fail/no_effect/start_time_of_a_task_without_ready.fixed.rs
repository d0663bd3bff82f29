// `no_effect/start_time_of_a_task_without_ready.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, start = 5s, ready)]
        serve: task = |cx| serve(cx),
    }
}

async fn serve(cx: TaskContext) {
    cx.ready();
    cx.stopped().await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.serve.stop();
    shop.shutdown().await;
    Ok(())
}
