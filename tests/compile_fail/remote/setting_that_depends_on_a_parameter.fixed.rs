// `remote/setting_that_depends_on_a_parameter.rs`, repaired.
use std::time::Duration;

use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

const GRACE: Duration = Duration::from_secs(2);

supervisor! {
    struct Shop {
        #[on("worker")]
        #[lifecycle(Permanent, shutdown = GRACE)]
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
