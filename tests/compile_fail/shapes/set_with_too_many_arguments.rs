// C1. `spawn` takes at most six arguments.
// Repair: Put some of them into a tuple or a struct.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: [Db] = |_a: u8, _b: u8, _c: u8, _d: u8, _e: u8, _f: u8, _g: u8| Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(1, 2, 3, 4, 5, 6, 7).await?;
    shop.shutdown().await;
    Ok(())
}
