// C15. A value that the start names crosses to the node, and crosses whole.
// Repair: derive `Serialize` and `Deserialize`, or name only the part that is needed.
use supervise::prelude::*;

struct Pricing(u8);

#[derive(Clone)]
struct Config {
    rate: u8,
}

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop(config: Config) {
        #[on("worker")]
        pricing: remote Pricing = Pricing(config.rate), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(Config { rate: 1 }).await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
