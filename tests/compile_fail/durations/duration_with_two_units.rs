// C3. A duration has one unit, so that you can compare durations at a glance.
// Repair: Use the smaller unit. The message shows the same time in it.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 1m30s)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 1h30min)] //~
        b: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.b.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
