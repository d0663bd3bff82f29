// C1. A tree supervises each of its children, also of many. So it keeps them itself, and no collection does.
// Repair: Write `[Type]`, or `[Key => Type]` for children with keys.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Vec<Db> = Vec::new(), //~
        by_name: std::collections::HashMap<String, Db> = Default::default(), //~
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
