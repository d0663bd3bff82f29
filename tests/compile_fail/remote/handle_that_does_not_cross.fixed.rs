// `remote/handle_that_does_not_cross.rs`, repaired.
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
        front: Pricing = Pricing(1),
        #[on("worker")]
        pricing: remote Pricing = rate(&front, &front, &front),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    let _ = shop.pricing.path();
    shop.shutdown().await;
    Ok(())
}
