// C9. A task is a future. A loop without `async` would run while the tree starts.
// Repair: Write `async move { .. }` around the loop.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        beat: task = loop { beat().await }, //~
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
