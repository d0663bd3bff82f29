// C4. An array of length 0 has no children, and its start expression would never run.
// Repair: Write at least 1. For a child that may be missing take `Option`, for children that come later `[..]`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: [Db; 0] = |_i: usize| Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
