// C1. The arguments of a set's closure are also those of `spawn`, and the handle needs their types. So the types have
// to be written, as in a function.
// Repair: Write `name: Type`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: [Db] = |user| { let _ = user; Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(1).await?;
    shop.shutdown().await;
    Ok(())
}
