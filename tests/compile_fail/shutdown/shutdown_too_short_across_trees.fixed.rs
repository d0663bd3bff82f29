// `shutdown/shutdown_too_short_across_trees.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Ingest {
        queue: Db = Db,
        store: Db = Db,
    }
    struct Shop {
        #[lifecycle(Permanent, shutdown = 10s)]
        ingest: Ingest = Ingest::tree(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.ingest.queue.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
