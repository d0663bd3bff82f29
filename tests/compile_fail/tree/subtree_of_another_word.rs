// C1. An inline subtree is a tree, and is declared as one.
// Repair: Write `struct`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: String) {}
}

supervisor! {
    struct Shop {
        store: supervisor Store { //~
            db: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.store.db.tell("a".to_owned()).await?;
    shop.shutdown().await;
    Ok(())
}
