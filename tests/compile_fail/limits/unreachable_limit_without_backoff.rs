// C6. Even without a backoff restarts are at least 10 ms apart, so a child cannot fail a thousand times in a second.
// Repair: Write a longer window, or fewer restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = 1000, within = 1s)] //~
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
