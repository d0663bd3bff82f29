// `order/child_names_itself.rs`, repaired.
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
        cart: Cart = Cart(db),
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
