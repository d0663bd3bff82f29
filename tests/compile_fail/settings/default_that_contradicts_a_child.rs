// C4. A default holds for each child that says nothing else, so it can contradict what stands above a child. The message
// shows both places.
// Repair: Say something else above the child, or remove what contradicts the default.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![lifecycle(Temporary)]
        #[limit(max_restarts = 3)] //~
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
