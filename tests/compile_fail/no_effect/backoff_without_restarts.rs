// C4. A backoff delays restarts. With a limit of 0 there are none, nor with a decider that never answers `Restart`.
// Repair: Remove the backoff, or allow restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(3s..30s)] //~
        #[limit(max_restarts = 0)]
        db: Db = Db,
        #[backoff(3s..30s)] //~
        #[decider(_ => Stop)]
        server: task = std::future::pending::<()>(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.server.stop();
    shop.shutdown().await;
    Ok(())
}
