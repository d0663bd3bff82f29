// C15. A `runtime` is a handle of this process, and the child runs in another one.
// Repair: remove it.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on("worker")]
        #[runtime(tokio::runtime::Handle::current())] //~
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
