// C4. `drain` handles the queued messages before the child ends. Tasks and subtrees have no mailbox.
// Repair: Write `drain` above the actors inside the subtree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Transient, drain)] //~
        beat: task = std::future::pending::<()>(),
        #[lifecycle(drain)] //~
        reports: struct Reports {
            daily: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.beat.stop();
    shop.reports.daily.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
