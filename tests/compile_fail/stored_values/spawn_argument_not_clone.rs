// C8. The arguments of a spawn are kept for the restarts of the spawned child, so they are `Clone + Send + 'static`.
// Repair: Choose `Temporary`, which starts each instance once, or put an `Arc` around the argument.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop {
        sessions: [Db] = |socket: Socket| { let _ = socket; Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(Socket).await?;
    shop.shutdown().await;
    Ok(())
}
