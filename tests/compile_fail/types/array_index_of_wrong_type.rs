// C9. The index of an array's child is a `usize`.
// Repair: Write that type, and convert it inside the closure.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: [Db; 4] = |i: u32| { let _ = i; Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
