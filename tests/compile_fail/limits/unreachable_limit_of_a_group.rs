// C6. In a group all failures count together, and the member with the shortest delays decides how fast they can follow
// each other. Four restarts of these two members take 1 + 1 + 2 + 2 seconds.
// Repair: Write a longer window, or fewer restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(AllForOne, max_restarts = 4, within = 5s)] //~
        #[backoff(1s..8s, reset = 1min)]
        db: Db = Db,
        #[backoff(1s..8s, reset = 1min)]
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
