// C4. With `Unlimited` restarts the limit is never reached, so `on_limit` and `within` have no effect.
// Repair: Remove the other arguments, or write a number.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = Unlimited, on_limit = Stop)] //~
        #[limit(max_restarts = Unlimited, within = 1min)] //~
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
