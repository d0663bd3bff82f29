// `names/inline_subtree_started_elsewhere.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Stock {
        db: Db = Db,
    }

    struct Shop {
        stock: Stock = Stock::tree(),
        spare: Stock = Stock::tree(),
    }

    struct Mall {
        stocks: [Stock] = || Stock::tree(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mall = Mall::start().await?;
    mall.stocks.spawn().await?;
    mall.shutdown().await;
    Ok(())
}
