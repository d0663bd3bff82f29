// `remote/limit_inside_of_a_remote_child.rs`, repaired.
use supervise::prelude::*;

struct Pricing;

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on("worker")]
        #[decider(Cause::Error(_) => Stop, _ => Restart)]
        pricing: remote Pricing = Pricing,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.clone();
    shop.shutdown().await;
    Ok(())
}
