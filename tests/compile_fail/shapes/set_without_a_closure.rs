// C1. The handle of a `[T]` spawns children with the arguments of the closure that is the start.
// Repair: Write the closure. Without arguments it is `|| start`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: [Db] = Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn().await?;
    shop.shutdown().await;
    Ok(())
}
