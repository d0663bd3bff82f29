// C15. Messages to a remote child are sent to another process.
// Repair: derive `Serialize` and `Deserialize`.
use supervise::prelude::*;

struct Quote;
struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: Quote) {}
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
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
