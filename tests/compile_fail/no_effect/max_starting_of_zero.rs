// C4. A set that starts no child at a time would never start one.
// Repair: Write the number of starts at a time.
use supervise::prelude::*;

struct Shard;
#[actor]
impl Shard {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_starting(0)] //~
        shards: [Shard] = |_name: &'static str| Shard,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards.spawn("a").await?.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
