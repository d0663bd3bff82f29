// C1. `only_with` takes a lease, and not the name of one.
// Repair: Pass a value of a type that implements `Lease`.
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
        #[only_with("jobs")] //~
        jobs: Jobs = Jobs::tree(),
        #[only_with(lease)]
        others: Jobs = Jobs::tree(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(MemoryLease::new("shop")).await?;
    shop.shutdown().await;
    Ok(())
}
