// C1. A setting of one child stands above the child, as `#[..]`; inside the braces it would seem to apply to all.
// Only `lifecycle`, `backoff` and `mailbox` can be defaults of all children.
// Repair: Write the setting above each child that it is for.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![limit(max_restarts = 3)] //~
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
