// C1. A task has no type of its own: it returns nothing or a `Result<(), E>`.
// Repair: Write `task` alone.
use supervise::prelude::*;

async fn run() {}

supervisor! {
    struct Shop {
        work: task<()> = run(), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.work.stop();
    shop.shutdown().await;
    Ok(())
}
