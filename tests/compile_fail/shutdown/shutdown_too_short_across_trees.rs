// C12. The time to stop is also checked for trees that are declared elsewhere, even in another crate, because the
// `SPEC` of a tree says how long its shutdown may take.
// Repair: Write the time that the message names.
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
        #[lifecycle(Permanent, shutdown = 6s)] //~
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
