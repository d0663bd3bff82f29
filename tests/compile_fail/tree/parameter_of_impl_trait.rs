// C1. A tree is a struct, and its parameters are of types that it can name.
// Repair: Write a type parameter.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(url: impl Into<String> + Clone) { //~
        db: Db = { let _: String = url.into(); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start("here".to_owned()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
