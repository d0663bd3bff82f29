// C12. Children stop one after the other, so a subtree needs the sum of their times. After its own time the subtree is
// aborted, together with the children that are still saving their work.
// Repair: Write the time that the message names, or none: the default is the time of the children.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5s)] //~
        reports: struct Reports {
            #[lifecycle(Permanent, shutdown = 10s)]
            daily: Db = Db,
            index: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.reports.daily.tell(()).await?;
    shop.reports.index.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
