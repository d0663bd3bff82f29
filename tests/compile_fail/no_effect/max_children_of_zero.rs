// C4. A set with room for no children would refuse every spawn.
// Repair: Write at least 1, or remove the set.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(0)] //~
        sessions: [Db] = || Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn().await?;
    shop.shutdown().await;
    Ok(())
}
