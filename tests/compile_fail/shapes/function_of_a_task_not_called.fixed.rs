// `shapes/function_of_a_task_not_called.rs`, repaired.
use supervise::prelude::*;

async fn work() {}

supervisor! {
    struct Shop {
        work: task = work(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.work.stop();
    shop.shutdown().await;
    Ok(())
}
