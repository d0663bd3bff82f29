// C1. An inline subtree sees the parameters of the tree around it and cannot be passed others.
// Repair: Remove the parentheses, or declare a separate tree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(size: usize) {
        reports: struct Reports(size: usize) { //~
            daily: [Db; 2] = |_i: usize| { let _ = size; Db },
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(1).await?;
    shop.reports.daily[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
