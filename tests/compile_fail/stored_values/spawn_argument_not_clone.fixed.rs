// `stored_values/spawn_argument_not_clone.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        sessions: [Db] = |socket: Socket| { let _ = socket; Db },
        shared: [Db] = |socket: std::sync::Arc<Socket>| { let _ = socket; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(Socket).await?;
    shop.shutdown().await;
    Ok(())
}
