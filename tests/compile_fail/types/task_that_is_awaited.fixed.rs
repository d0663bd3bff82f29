// `types/task_that_is_awaited.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        beat: task = beat(),
    }
}

async fn beat() {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.beat.stop();
    shop.shutdown().await;
    Ok(())
}
