// `tree/subtree_of_another_word.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: String) {}
}

supervisor! {
    struct Shop {
        store: struct Store {
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
