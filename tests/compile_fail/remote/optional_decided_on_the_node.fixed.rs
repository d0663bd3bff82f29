// `remote/optional_decided_on_the_node.rs`, repaired.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop(rate: Option<u8>) {
        let given: u8 = rate.unwrap_or_default();
        #[on("worker")]
        pricing: Option<remote Pricing> = if rate.is_some() { Some(Pricing(given)) } else { None },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(Some(1)).await?;
    let _ = shop.pricing.clone();
    shop.shutdown().await;
    Ok(())
}
