// C6. A child's own limit is checked together with the child's own backoff, and the error is reported at the limit.
// Values that are not literals are checked when the tree starts.
// Repair: Write a longer window, or fewer restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[limit(max_restarts = 5, within = 10s)] //~
        #[backoff(5s..5s)]
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
