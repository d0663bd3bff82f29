// C15. Calls of a remote child are sent to another process.
// Repair: Derive `Serialize` and `Deserialize` for its messages, with `#[actor(derive(..))]`.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
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
        pricing: remote Pricing = Pricing(1), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    println!("{}", shop.pricing.quote("tea").await?);
    shop.shutdown().await;
    Ok(())
}
