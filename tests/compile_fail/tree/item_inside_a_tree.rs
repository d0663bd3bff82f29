// C1. A tree is no module: its braces hold children and `let`s, and the macro holds trees.
// Repair: Move the item out of the macro.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    use std::fmt; //~
    struct Shop {
        fn db() -> Db { //~
            Db
        }
        db: Db = db(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
