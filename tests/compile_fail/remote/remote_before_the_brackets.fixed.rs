// `remote/remote_before_the_brackets.rs`, repaired.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on("worker")]
        pricing: [remote Pricing; 2] = |_| Pricing(1),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.clone();
    shop.shutdown().await;
    Ok(())
}
