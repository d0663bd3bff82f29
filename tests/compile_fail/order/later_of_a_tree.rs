// C7. The handle of a tree exists only once the tree was up, so no child above it can have it.
// Repair: Declare the tree above the child.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! { struct Reports { daily: Db = Db } }

supervisor! {
    struct Shop {
        db: Db = { let _ = later(reports); Db }, //~
        reports: Reports = Reports::tree(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shutdown().await;
    Ok(())
}
