// `settings/only_with_above_a_task.rs`, repaired.
use supervise::prelude::*;
use supervise::testing::MemoryLease;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Jobs {
        clock: task = std::future::pending::<()>(),
    }

    struct Shop(lease: MemoryLease) {
        #[only_with(lease)]
        jobs: Jobs = Jobs::tree(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(MemoryLease::new("shop")).await?;
    shop.shutdown().await;
    Ok(())
}
