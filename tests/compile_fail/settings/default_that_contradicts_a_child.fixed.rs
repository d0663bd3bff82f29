// `settings/default_that_contradicts_a_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![lifecycle(Temporary)]
        #[lifecycle(Permanent)]
        #[limit(max_restarts = 3)]
        db: Db = Db,
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
