// C2. Parameters, `let`s and children share one namespace, so that `db` in an expression means one thing.
// Repair: Rename one of the two.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(db: u8) {
        db: Db = { println!("{db}"); Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(1).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
