// `shapes/task_with_two_contexts.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop(db: u8) {
        serve: task = |cx| serve(cx, db),
    }
}

async fn serve(_cx: TaskContext, _db: u8) {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(1).await?;
    shop.serve.stop();
    shop.shutdown().await;
    Ok(())
}
