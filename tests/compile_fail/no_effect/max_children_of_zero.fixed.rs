// `no_effect/max_children_of_zero.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(100)]
        sessions: [Db] = || Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn().await?;
    shop.shutdown().await;
    Ok(())
}
