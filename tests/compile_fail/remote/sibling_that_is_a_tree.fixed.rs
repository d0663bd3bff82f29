// `remote/sibling_that_is_a_tree.rs`, repaired.
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
        let depth: u8 = if branch.is_alive() { 1 } else { 0 };
        #[on("worker")]
        pricing: remote Pricing = Pricing(depth),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
