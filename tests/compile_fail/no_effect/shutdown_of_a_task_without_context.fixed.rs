// `no_effect/shutdown_of_a_task_without_context.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5s)]
        serve: task = |cx| serve(cx),
    }
}

async fn serve(cx: TaskContext) {
    cx.stopped().await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.serve.stop();
    shop.shutdown().await;
    Ok(())
}
