// C1. As in any tuple struct, the bounds stand after the parentheses.
// Repair: Move the `where` clause behind them.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop<T> where T: Clone + Send (first: T) { //~
        db: Db = { let _ = first; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(5).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
