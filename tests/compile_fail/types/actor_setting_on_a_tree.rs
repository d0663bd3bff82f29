// C9. A tree has no messages and no hooks. The check includes trees that are declared elsewhere, where only the type
// shows that the child is a tree.
// Repair: Write the setting above the actor inside that tree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Reports {
        daily: Db = Db,
    }
    struct Shop {
        #[mailbox(Bounded(10))] //~
        #[lifecycle(Permanent, drain)] //~
        reports: Reports = Reports::tree(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.reports.daily.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
