// `no_effect/ready_task_without_context.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, ready)]
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
