// C1. A mailbox is `Bounded(N)` or `Unbounded`, and a reset is `Auto(D)` or `Manual`. A number alone would not show
// that it is a bound.
// Repair: Write one of the two.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[mailbox(64)] //~
        db: Db = Db,
        #[backoff(1s..1min, reset = 5min)] //~
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
