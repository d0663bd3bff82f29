// C1. People who know Akka, or who have written their own supervisors, look for a restart strategy and for a reaction
// to an exceeded limit. The messages show the names that this crate uses.
// Repair: Write `strategy` and `on_limit`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![restart_strategy(OneForOne)] //~
        #[limit(max_restarts = 3, on_exceeded = Stop)] //~
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
