// `no_effect/max_starting_above_max_children.rs`, repaired.
use supervise::prelude::*;

struct Shard;
#[actor]
impl Shard {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(8)]
        #[max_starting(2)]
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
