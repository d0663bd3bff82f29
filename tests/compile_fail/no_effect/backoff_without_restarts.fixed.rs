// `no_effect/backoff_without_restarts.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[limit(max_restarts = 0)]
        db: Db = Db,
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
