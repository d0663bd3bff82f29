// C7. A setting is evaluated before its child, and needs no handle of a child below.
// Repair: Move the other child up.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[limit(max_restarts = later(cart).incarnation())] //~
        db: Db = Db,
        cart: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
