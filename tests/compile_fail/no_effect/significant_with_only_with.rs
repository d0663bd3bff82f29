// C4. A subtree with `only_with` comes and goes with the holder, so its end says nothing about the tree around it.
// Repair: Remove `significant`.
use supervise::prelude::*;
use supervise::testing::MemoryLease;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Jobs {
        db: Db = Db,
    }

    struct Shop(lease: MemoryLease) {
        #[only_with(lease)]
        #[lifecycle(Transient, significant)] //~
        jobs: Jobs = Jobs::tree(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(MemoryLease::new("shop")).await?;
    shop.shutdown().await;
    Ok(())
}
