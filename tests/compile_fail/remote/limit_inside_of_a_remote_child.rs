// C15. The failure of a node's own limit crosses as text, so the owner sees an error.
// Repair: Write `Cause::Error(_)`; the limit of the remote child itself says by `on_limit` what happens.
use supervise::prelude::*;

struct Pricing;

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on("worker")]
        #[decider(Cause::LimitReached => Stop, _ => Restart)] //~
        pricing: remote Pricing = Pricing,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.clone();
    shop.shutdown().await;
    Ok(())
}
