// `shutdown/shutdown_too_short_for_an_array.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 25s)]
        shards: struct Shards {
            row: [Db; 4] = |_i: usize| Db,
            any: [Db] = || Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards.row[0].tell(()).await?;
    shop.shards.any.spawn().await?;
    shop.shutdown().await;
    Ok(())
}
