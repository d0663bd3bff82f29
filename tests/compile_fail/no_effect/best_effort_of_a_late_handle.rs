// C4. The handle of an optional child or a subtree exists only once it was up, so the first start waits for it.
// Repair: Remove `best_effort`, or write it above the children of the subtree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, best_effort)] //~
        maybe: Option<Db> = Some(Db),
        #[lifecycle(Permanent, best_effort)] //~
        reports: struct Reports {
            db: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    assert!(shop.maybe.is_some());
    shop.reports.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
