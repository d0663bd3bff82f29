// `shutdown/shutdown_too_short_for_a_subtree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 15s)]
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
