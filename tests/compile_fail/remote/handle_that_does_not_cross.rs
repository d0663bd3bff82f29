// C15. Handles of actors cross, since messages can be sent to another process. A task, a set and a subtree have no
// messages.
// Repair: name an actor.
use supervise::prelude::*;

struct Pricing(u8);

#[actor]
impl Pricing {
    fn handle(&mut self, _msg: u8) {}
}

fn rate<A, B, C>(_: &A, _: &B, _: &C) -> Pricing {
    Pricing(1)
}

supervisor! {
    struct Shop {
        ticker: task = std::future::pending::<()>(),
        carts: [Pricing] = |n: u8| Pricing(n),
        #[on("worker")]
        pricing: remote Pricing = rate(&ticker, &carts, &tree), //~ //~ //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
