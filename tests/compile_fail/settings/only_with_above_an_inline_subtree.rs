// C1. A subtree under a lease is started again with each holding, so it is a tree that can be named.
// Repair: Declare the tree outside, and start it by its name.
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
        jobs: struct Jobs {
            db: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(MemoryLease::new("shop")).await?;
    shop.shutdown().await;
    Ok(())
}
