// C4. A default of the tree makes a child `Temporary`, and then it is never restarted, whatever its decider answers.
// Repair: Write the lifecycle of this child above it.
use supervise::prelude::*;

struct Db;

#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![lifecycle(Temporary)]
        #[decider(_ => Restart)] //~
        db: Db = Db,
        last: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.last.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
