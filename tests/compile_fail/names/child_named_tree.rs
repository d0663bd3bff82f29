// C2. Inside a tree the name `tree` is the tree's own `TreeRef`, for example for a child that stops the tree.
// Repair: Choose another name.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        tree: Db = Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.tree.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
