// `limits/unreachable_limit_of_a_group.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(AllForOne, max_restarts = 4, within = 1min)]
        #[backoff(1s..8s, reset = 1min)]
        db: Db = Db,
        #[backoff(1s..8s, reset = 1min)]
        cart: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.cart.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
