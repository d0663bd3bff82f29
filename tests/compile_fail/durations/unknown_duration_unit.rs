// C3. Each unit has one spelling. `m` is not a unit: some readers would take it for minutes, and others for
// milliseconds.
// Repair: Write `min` or `ms`. The message lists the other units.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5sec)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 5m)] //~
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
