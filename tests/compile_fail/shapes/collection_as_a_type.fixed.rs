// `shapes/collection_as_a_type.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: [Db] = || Db,
        by_name: [String => Db] = |_name: String| Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.spawn().await?.tell(()).await?;
    shop.by_name.spawn("a".to_owned()).await?;
    shop.shutdown().await;
    Ok(())
}
