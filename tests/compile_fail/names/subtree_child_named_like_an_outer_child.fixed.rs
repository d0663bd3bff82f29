// `names/subtree_child_named_like_an_outer_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
        reports: struct Reports {
            daily: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.reports.daily.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
