// C15. Owner and node are two builds, and read each other by the same list of values.
// Repair: choose inside of the value.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[cfg(unix)]
        let rate: u8 = 1;
        #[on("worker")]
        pricing: remote Pricing = Pricing(rate), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
