// C4. A set cannot begin with more children than it may have. Here both numbers are literals; the items of an
// expression are counted when the tree starts.
// Repair: Allow more children, or begin with fewer.
use supervise::prelude::*;

struct Shard;
#[actor]
impl Shard {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(2)]
        #[initial(["a", "b", "c"])] //~
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
