// C9. The tree polls a task itself, so that a restart and the end of the tree end it. A future that is spawned goes on
// after both.
// Repair: Write the future, without `tokio::spawn`.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        beat: task = tokio::spawn(beat()), //~
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
