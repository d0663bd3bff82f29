// C4. A task has no mailbox, so this default would have no effect.
// Repair: Remove the default.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![mailbox(Bounded(9))] //~
        sweep: task = std::future::pending::<()>(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sweep.stop();
    shop.shutdown().await;
    Ok(())
}
