// `types/actor_setting_on_a_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Reports {
        #[mailbox(Bounded(10))]
        #[lifecycle(Permanent, drain)]
        daily: Db = Db,
    }
    struct Shop {
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
