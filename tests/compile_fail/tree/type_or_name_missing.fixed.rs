// `tree/type_or_name_missing.rs`, repaired.
use supervise::prelude::*;

struct Db(u32);
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db(1),
    }
    struct Yard(ab: (u32, u32)) {
        db: Db = Db(ab.0),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    let yard = Yard::start((1, 2)).await?;
    yard.db.tell(()).await?;
    Ok(())
}
