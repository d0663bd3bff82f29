// C1. Above the `struct` stand the settings of the tree: its strategy, decider and shutdown. A default for its children
// stands inside the braces, so that the two are told apart.
// Repair: Move the setting into the braces, with a `!`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    #[lifecycle(Transient)] //~
    struct Shop {
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
