// C1. `[T; N]` starts its children by their index, so its start is a closure of one argument.
// Repair: Write `|i: usize| start`, even if `i` is not used.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: [Db; 4] = Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
