// C1. The shape of a tree is fixed. A child that may be missing is an `Option`, and its start decides.
// Repair: Write the condition into the start.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: String) {}
}

supervisor! {
    struct Shop {
        db: Db = Db if cfg!(unix), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell("a".to_owned()).await?;
    shop.shutdown().await;
    Ok(())
}
