// C4. A child with a backoff has no limit unless you declare one. It keeps trying, as a connection to a server that is
// down should.
// Repair: Declare `max_restarts`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(1s..1min)]
        #[limit(on_limit = Stop)] //~
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
