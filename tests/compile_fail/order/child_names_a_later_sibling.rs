// C7. Children start in the order in which they are written, so a child can only name the children above it.
// Repair: Move the named child above the child that names it.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Cart(ActorRef<Db>);
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        cart: Cart = Cart(db), //~
        db: Db = Db,
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
