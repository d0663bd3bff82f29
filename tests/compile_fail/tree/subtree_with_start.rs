// C1. An inline subtree is written in the place of a type. Starting its children starts the subtree, so there is no
// start expression to evaluate.
// Repair: Remove the expression.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        reports: struct Reports {
            daily: Db = Db,
        } = Reports::new(), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.reports.daily.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
