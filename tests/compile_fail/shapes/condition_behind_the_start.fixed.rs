// `shapes/condition_behind_the_start.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: String) {}
}

supervisor! {
    struct Shop {
        db: Option<Db> = if cfg!(unix) { Some(Db) } else { None },
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
