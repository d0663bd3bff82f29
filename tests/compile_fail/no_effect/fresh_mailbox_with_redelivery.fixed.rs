// `no_effect/fresh_mailbox_with_redelivery.rs`, repaired.
use supervise::prelude::*;

#[derive(Clone)]
struct Query;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _query: Query) {}
}

supervisor! {
    struct Shop {
        #[redeliver(attempts = 3)]
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(Query).await?;
    shop.shutdown().await;
    Ok(())
}
