// C9. The number of children of an array is a constant `usize`.
// Repair: Write a number. If the number is known only when the tree starts, use a `[..]` with `initial`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: [Db; "four"] = |_i: usize| Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
