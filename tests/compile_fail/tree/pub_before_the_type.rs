// C1. `pub` makes the handle of a child public, and stands in front of its name.
// Repair: Write `pub name: Type`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: String) {}
}

supervisor! {
    struct Shop {
        db: pub Db = Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell("a".to_owned()).await?;
    shop.shutdown().await;
    Ok(())
}
