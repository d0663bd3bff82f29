// C2. The expressions of an inline subtree see the names around it, so its children cannot take one of those names. Two
// subtrees next to each other may use the same names.
// Repair: Rename one of the two.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
        reports: struct Reports {
            db: Db = Db, //~
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.reports.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
