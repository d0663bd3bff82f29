// C15. The times of an instance hold on its node, too, and the tree has no parameters there.
// Repair: write a literal or a constant.
use std::time::Duration;

use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop(grace: Duration) {
        #[on("worker")]
        #[lifecycle(Permanent, shutdown = grace)] //~
        pricing: remote Pricing = Pricing(1),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(Duration::from_secs(2)).await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
