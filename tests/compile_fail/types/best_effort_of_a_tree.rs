// C9. The handle of a tree exists only once it was up, so the first start waits for it.
// Repair: Write `best_effort` above the children of that tree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Reports {
        db: Db = Db,
    }

    struct Shop {
        #[lifecycle(Permanent, best_effort)] //~
        reports: Reports = Reports::tree(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.reports.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
