// C8. If a child names a `let`, the value is cloned for each start of the child. Other `let`s need not be `Clone`.
// Repair: Put an `Arc` around the value, or create it inside the start expression.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop {
        let socket = Socket;
        db: Db = { let _ = socket; Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
