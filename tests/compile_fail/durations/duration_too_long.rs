// C3. A duration is at most about 584 billion years long, and not finer than a nanosecond.
// Repair: Write a shorter duration or fewer decimals. A wait without an end is `Infinity`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 99999999999999999999d)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 1.5ns)] //~
        b: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.b.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
