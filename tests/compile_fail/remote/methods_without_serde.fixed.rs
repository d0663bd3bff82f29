// `remote/methods_without_serde.rs`, repaired.
use supervise::prelude::*;

struct Pricing(u8);

#[actor(derive(serde::Serialize, serde::Deserialize))]
impl Pricing {
    #[message]
    fn quote(&self, of: &str) -> u8 {
        println!("{of}");
        self.0
    }
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
    println!("{}", shop.pricing.quote("tea").await?);
    shop.shutdown().await;
    Ok(())
}
