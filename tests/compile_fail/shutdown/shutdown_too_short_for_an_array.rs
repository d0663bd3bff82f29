// C12. The time of an array of four counts four times, because its members stop one after the other. The time of a
// `[..]` counts once, because its instances stop together.
// Repair: Write the time that the message names.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 10s)] //~
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
