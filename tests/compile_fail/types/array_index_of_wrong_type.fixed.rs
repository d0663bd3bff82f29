// `types/array_index_of_wrong_type.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: [Db; 4] = |i: usize| { let _ = i; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
