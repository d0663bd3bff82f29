// C4. `handler` limits the time of a message, and a task or a subtree has no mailbox.
// Repair: Remove `handler`, or make the child an actor.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, handler = 5s)] //~
        poller: task = std::future::pending::<()>(),

        #[lifecycle(Permanent, handler = 5s)] //~
        below: struct Below {
            db: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.below.db.tell(()).await?;
    shop.poller.stop();
    shop.shutdown().await;
    Ok(())
}
