// C1. Only the main argument of a setting has no name: the strategy, the lifecycle or the range. A number or a time
// without a name would not show its purpose.
// Repair: Write `name = value`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, 3, 1min)] //~
        #[redeliver(3)] //~
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
