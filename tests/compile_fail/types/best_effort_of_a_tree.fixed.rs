// `types/best_effort_of_a_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Reports {
        #[lifecycle(Permanent, best_effort)]
        db: Db = Db,
    }

    struct Shop {
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
