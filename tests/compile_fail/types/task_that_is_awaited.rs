// C9. The tree polls the future of a task, at each of its starts. An `.await` behind it would wait for its end.
// Repair: Remove the `.await`.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        beat: task = beat().await, //~
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
