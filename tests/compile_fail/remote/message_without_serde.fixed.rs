// `remote/message_without_serde.rs`, repaired.
use supervise::prelude::*;

#[derive(serde::Serialize, serde::Deserialize)]
struct Quote;
struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: Quote) {}
}

supervisor! {
    struct Shop {
        #[on("worker")]
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
