// `no_effect/restarts_of_temporary_by_default.rs`, repaired.
use supervise::prelude::*;

struct Db;

#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![lifecycle(Temporary)]
        #[lifecycle(Permanent)]
        #[decider(_ => Restart)]
        db: Db = Db,
        last: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.last.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
