// `remote/value_without_serde.rs`, repaired.
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
        let rate: u8 = config.rate;
        #[on("worker")]
        pricing: remote Pricing = Pricing(rate),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(Config { rate: 1 }).await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
