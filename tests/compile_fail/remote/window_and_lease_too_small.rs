// C15. With a window of 0 no message is ever sent to the node. A node asks for the next lease after a third of this
// one, so a lease of a few milliseconds is over before the answer is there.
// Repair: write more.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on("worker", window = 0)] //~
        pricing: remote Pricing = Pricing(1),
        #[on("worker", lease = 20ms)] //~
        other: remote Pricing = Pricing(1),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
