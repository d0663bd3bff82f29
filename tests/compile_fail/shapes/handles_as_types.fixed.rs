// `shapes/handles_as_types.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: [Db; 2] = |_i| Db,
        users: [String => Db] = |_name: String| Db,
        clock: task = async {},
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shards[0].tell(()).await?;
    shop.users.spawn("ann".to_owned()).await?;
    shop.clock.stop();
    shop.shutdown().await;
    Ok(())
}
