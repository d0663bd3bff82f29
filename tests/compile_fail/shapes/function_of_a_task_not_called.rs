// C1. A task starts from a future, which a call of its function makes.
// Repair: Call the function.
use supervise::prelude::*;

async fn work() {}

supervisor! {
    struct Shop {
        work: task = work, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.work.stop();
    shop.shutdown().await;
    Ok(())
}
