// C2. An inline subtree becomes a struct in the same module as the tree, so the two need different names.
// Repair: Rename one of the two.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        inner: struct Shop { //~
            db: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.inner.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
