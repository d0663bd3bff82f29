// C15. The inside of `Some` runs on the node, and what the owner finds on its way there is not declared, so its type is
// not known.
// Repair: write a `let` with its type.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop(rate: Option<u8>) {
        #[on("worker")]
        pricing: Option<remote Pricing> = if let Some(n) = rate { Some(Pricing(n)) } else { None }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(Some(1)).await?;
    let _ = shop.pricing.clone();
    shop.shutdown().await;
    Ok(())
}
