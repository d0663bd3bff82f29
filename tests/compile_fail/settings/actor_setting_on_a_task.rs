// C1. A task is a future and has no messages, no mailbox and no hooks.
// Repair: Remove the setting, or make the child an actor.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[mailbox(Bounded(10))] //~
        #[pre_restart(Db::dump)] //~
        beat: task = std::future::pending::<()>(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.beat.stop();
    shop.shutdown().await;
    Ok(())
}
