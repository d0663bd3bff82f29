// C6. All delays are added up, however slowly they grow: 5001 failures of this child take 22 hours.
// Repair: Write a longer window, or fewer restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[limit(max_restarts = 5000, within = 1h)] //~
        #[backoff(1s..1min, factor = 1.001)]
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
