// C5. Each delay is the previous delay times the factor. Below 1, the delays would shrink below the shortest.
// Repair: Write a factor of at least 1. With 1 the delays do not grow.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(3s..30s, factor = 0.5)] //~
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
