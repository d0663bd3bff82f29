// C15. The replacement of a lost child starts when the lease and the `shutdown` of the lost one are over. With
// `Infinity` that is never.
// Repair: write a time, or allow two instances at the same time.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on("worker")]
        #[lifecycle(Permanent, shutdown = Infinity)] //~
        pricing: remote Pricing = Pricing(1),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
