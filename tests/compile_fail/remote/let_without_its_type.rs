// C15. The node has to know the type of each value that it gets, and nobody tells it but the declaration.
// Repair: write the type.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        let rate = 3; //~
        #[on("worker")]
        pricing: remote Pricing = Pricing(rate),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
