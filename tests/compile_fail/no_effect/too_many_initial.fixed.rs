// `no_effect/too_many_initial.rs`, repaired.
use supervise::prelude::*;

struct Shard;
#[actor]
impl Shard {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(3)]
        #[initial(["a", "b", "c"])]
        shards: [Shard] = |_name: &'static str| Shard,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards.spawn("d").await?;
    shop.shutdown().await;
    Ok(())
}
