// C4. `redeliver` puts the message in hand back into the mailbox, and `fresh` empties the mailbox at the same restart.
// Repair: Remove one of them.
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
        #[mailbox(fresh)] //~
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
