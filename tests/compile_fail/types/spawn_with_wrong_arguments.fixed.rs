// `types/spawn_with_wrong_arguments.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: [Db] = |user: u64| { let _ = user; Db },
    }
}

async fn open(shop: &Shop) {
    let _ = shop.sessions.spawn(7).await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(1).await?;
    shop.shutdown().await;
    Ok(())
}
