// C15. Whether there is an optional child is decided once, by the owner, before any node has been asked.
// Repair: write an `if` of which only the inside of `Some` runs on the node.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop(rate: Option<u8>) {
        #[on("worker")]
        pricing: Option<remote Pricing> = rate.map(Pricing), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(Some(1)).await?;
    let _ = shop.pricing.clone();
    shop.shutdown().await;
    Ok(())
}
