// C4. An instance of a set never concerns the first start of the tree.
// Repair: Remove `best_effort`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Transient, best_effort)] //~
        many: [Db] = || Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.many.spawn().await?;
    shop.shutdown().await;
    Ok(())
}
