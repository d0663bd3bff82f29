// `order/later_of_a_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! { struct Reports { daily: Db = Db } }

supervisor! {
    struct Shop {
        reports: Reports = Reports::tree(),
        db: Db = { let _ = reports; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shutdown().await;
    Ok(())
}
