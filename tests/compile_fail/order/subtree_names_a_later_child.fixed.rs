// `order/subtree_names_a_later_child.rs`, repaired.
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
        db: Db = Db,
        carts: struct Carts { cart: Cart = Cart(db) },
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
