// C7. A child's own handle does not exist before the child is up. Inside the actor, call `cx.myself()`.
// Repair: Remove the name from the start expression.
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
        cart: Cart = Cart(cart.clone()), //~
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
