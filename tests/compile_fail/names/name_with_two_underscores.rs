// C2. Names that begin with two underscores are reserved for the expansion; a child's name could collide with one.
// Repair: Choose another name.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        __tree: Db = Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shutdown().await;
    Ok(())
}
