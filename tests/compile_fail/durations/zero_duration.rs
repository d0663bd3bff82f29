// C3. Depending on the setting, a time of zero would mean never, at once or forever. Each of these has a word.
// Repair: Write a time, or the word (`Kill`).
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 0s)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 0.0min)] //~
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
