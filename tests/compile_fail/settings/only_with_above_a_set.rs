// C1. A lease is for a single subtree: all of a set is inside of it, or each instance decides for itself.
// Repair: Declare a tree with this set, and write the setting above that tree.
use supervise::prelude::*;
use supervise::testing::MemoryLease;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(lease: MemoryLease) {
        #[only_with(lease)] //~
        sessions: [Db] = || Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(MemoryLease::new("shop")).await?;
    shop.shutdown().await;
    Ok(())
}
