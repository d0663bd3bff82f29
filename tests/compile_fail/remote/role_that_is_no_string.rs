// C15. Roles are compared between processes, so they are strings, or constants that are strings; and each has a name.
// Repair: write the role in quotes.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on(worker)] //~
        pricing: remote Pricing = Pricing(1),
        #[on("")] //~
        other: remote Pricing = Pricing(1),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
