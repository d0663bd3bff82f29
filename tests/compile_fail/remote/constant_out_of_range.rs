// C15. The values of `on` are known while compiling, so a constant is checked as a literal is.
// Repair: change the constant.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

const LEASE: std::time::Duration = std::time::Duration::from_millis(10);

supervisor! {
    struct Shop {
        #[on("worker", lease = LEASE)] //~
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
