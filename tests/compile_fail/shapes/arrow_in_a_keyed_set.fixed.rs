// `shapes/arrow_in_a_keyed_set.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        dbs: [String => Db] = |_name: String| Db,
        copies: [u8 => Db] = |_number: u8| Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.dbs.spawn("a".to_owned()).await?;
    shop.copies.spawn(1).await?;
    shop.shutdown().await;
    Ok(())
}
