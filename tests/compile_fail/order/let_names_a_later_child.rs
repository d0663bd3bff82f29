// C7. A `let` is evaluated at its place among the children, and only sees the entries above it.
// Repair: Move the `let` below the child that it names.
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
        let copy = db.clone(); //~
        db: Db = Db,
        cart: Cart = Cart(copy),
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
