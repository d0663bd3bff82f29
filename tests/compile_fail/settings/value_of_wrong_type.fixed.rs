// `settings/value_of_wrong_type.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(grace: std::time::Duration) {
        #[mailbox(Bounded(64), ask = grace)]
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(std::time::Duration::from_secs(5)).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
