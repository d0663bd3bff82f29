// `no_effect/decider_of_temporary_children.rs`, repaired.
use supervise::prelude::*;

struct Db;

#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        #[decider(_ => Escalate)]
        db: Db = Db,
        #[lifecycle(Temporary)]
        log: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.log.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
