// `remote/spawned_remote.rs`, repaired.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on("worker")]
        pricing: [remote Pricing] = |rate: u8| Pricing(rate),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let pricing = shop.pricing.spawn(1).await?;
    let _ = pricing.path();
    shop.shutdown().await;
    Ok(())
}
