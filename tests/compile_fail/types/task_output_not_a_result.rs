// C9. A task returns nothing, never ends, or can fail: `()`, `!` or `Result<(), E>`. A supervisor has no use for any
// other value.
// Repair: Send the value to the place where it is needed.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        count: task = async { 5 }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.count.stop();
    shop.shutdown().await;
    Ok(())
}
