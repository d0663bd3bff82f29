// `durations/duration_without_unit.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5s)]
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 2.5s)]
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
