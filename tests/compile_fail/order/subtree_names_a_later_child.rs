// C7. The children of an inline subtree only see the entries above the subtree.
// Repair: Move the named child above the subtree.
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
        carts: struct Carts { cart: Cart = Cart(db) }, //~
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.carts.cart.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
