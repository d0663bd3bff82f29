// C15. A node runs actors. The children of a tree on a node would have no owner that decides about them.
// Repair: write an actor that spawns the tree, or declare its actors as remote.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Branch {
        pricing: Pricing = Pricing(1),
    }

    struct Shop {
        #[on("worker")]
        branch: remote Branch = Branch::tree(), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.branch.path();
    shop.shutdown().await;
    Ok(())
}
