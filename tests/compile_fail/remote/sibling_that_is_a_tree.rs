// C15. The handle of a tree does not cross: a node sends messages to actors.
// Repair: name an actor of that tree, or send the remote child what it needs.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Branch { pricing: Pricing = Pricing(1) }

    struct Shop {
        branch: Branch = Branch::tree(),
        #[on("worker")]
        pricing: remote Pricing = { let _ = &branch; Pricing(1) }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
