// C15. Each instance of a set is remote, not the set, whose handle is here.
// Repair: write `remote` in front of the type.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on("worker")]
        pricing: remote [Pricing; 2] = |_| Pricing(1), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.clone();
    shop.shutdown().await;
    Ok(())
}
