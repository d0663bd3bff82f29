// C15. A node runs actors: a task has no messages that could wait for it, and a tree has its owner elsewhere.
// Repair: write an actor that spawns them.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        #[on("worker")]
        ticker: remote task = std::future::pending::<()>(), //~
        #[on("worker")]
        below: remote struct Below { pricing: Pricing = Pricing(1) }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.path();
    shop.shutdown().await;
    Ok(())
}
