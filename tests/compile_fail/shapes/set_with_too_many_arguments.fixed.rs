// `shapes/set_with_too_many_arguments.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: [Db] = |_a: u8, _b: u8, _c: u8, _d: u8, _e: u8, _rest: (u8, u8)| Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(1, 2, 3, 4, 5, (6, 7)).await?;
    shop.shutdown().await;
    Ok(())
}
