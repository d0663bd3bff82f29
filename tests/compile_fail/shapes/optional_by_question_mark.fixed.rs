// `shapes/optional_by_question_mark.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: String) {}
}

supervisor! {
    struct Shop {
        db: Option<Db> = Some(Db),
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
