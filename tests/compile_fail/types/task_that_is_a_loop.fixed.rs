// `types/task_that_is_a_loop.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        beat: task = async move { loop { beat().await } },
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
