// C1. The group strategy is `AllForOne`: if one child fails, all children restart. By its letters `OneForOne` would be
// nearer to the mistake, but it means the opposite.
// Repair: Write `AllForOne`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForAll, max_restarts = 3, within = 1min)] //~
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
