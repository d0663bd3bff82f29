// C5. The random factor is the share of a delay that may be added to the delay, so it lies between 0 and 1. A factor of
// 20 would be 2000 percent.
// Repair: Write `0.2` to add up to a fifth.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(3s..30s, random_factor = 20)] //~
        db: Db = Db,
        #[backoff(3s..30s, random_factor = -0.2)] //~
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
