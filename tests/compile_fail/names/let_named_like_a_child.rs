// C2. The entries below use `let`s and children by their names, so a `let` and a child cannot share a name, whichever
// of the two comes first.
// Repair: Rename one of the two.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let db = 5;
        db: Db = { let _ = db; Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
