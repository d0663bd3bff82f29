// C1. A lease is for a subtree, which has a place of its own in the tree whether or not it runs.
// Repair: Declare a tree with this actor, and write the setting above that tree.
use supervise::prelude::*;
use supervise::testing::MemoryLease;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(lease: MemoryLease) {
        #[only_with(lease)]
        db: Db = Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(MemoryLease::new("shop")).await?;
    shop.shutdown().await;
    Ok(())
}
