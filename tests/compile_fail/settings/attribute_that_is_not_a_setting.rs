// C1. A child is not an item, so an attribute that is not a setting has no effect on it: it cannot derive a trait or
// allow a lint.
// Repair: Remove the attribute. Write lint attributes above the macro.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[allow(unused)] //~
        db: Db = Db,
        #[derive(Clone)] //~
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
