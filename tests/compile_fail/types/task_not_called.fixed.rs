// `types/task_not_called.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        server: task = |cx| serve(cx),
    }
}

async fn serve(cx: TaskContext) {
    cx.stopped().await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.server.stop();
    shop.shutdown().await;
    Ok(())
}
