// C2. An inline subtree can only start at its place, because it uses the names around it. No other child, in this tree
// or in another tree, can have its type.
// Repair: Declare a separate tree, and start it in both places.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        stock: struct Stock { db: Db = Db },
        spare: Stock = Stock::tree(), //~
    }

    struct Mall {
        stocks: [Stock] = || Stock::tree(), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mall = Mall::start().await?;
    mall.stocks.spawn().await?;
    mall.shutdown().await;
    Ok(())
}
