// C4. A set never starts more children than it may have, so this limit has no effect. Here both numbers are
// literals; computed ones are compared when the tree starts.
// Repair: Write a smaller number, or remove `max_starting`.
use supervise::prelude::*;

struct Shard;
#[actor]
impl Shard {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(8)]
        #[max_starting(8)] //~
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
