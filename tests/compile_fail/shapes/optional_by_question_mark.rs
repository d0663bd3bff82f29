// C1. A child that may be missing is an `Option`, and starts from one.
// Repair: Write `Option<Type>`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: String) {}
}

supervisor! {
    struct Shop {
        db: Db? = Some(Db), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    if let Some(db) = &shop.db {
        db.tell("a".to_owned()).await?;
    }
    shop.shutdown().await;
    Ok(())
}
