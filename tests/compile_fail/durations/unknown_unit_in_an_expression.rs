// C3. A duration can stand anywhere in the expression of a setting, and its unit is checked there too.
// Repair: Correct the unit.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(Backoff::slotted(10millis).ceiling(5))] //~
        db: Db = Db,
        #[backoff(3..30s)] //~
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
