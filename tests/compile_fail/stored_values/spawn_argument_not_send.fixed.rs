// `stored_values/spawn_argument_not_send.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        sessions: [Db] = |user: std::sync::Arc<str>| { let _ = user; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn("ann".into()).await?;
    shop.shutdown().await;
    Ok(())
}
