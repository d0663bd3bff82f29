// C2. A child is a field, and `self` cannot be the name of one, not even as a raw identifier.
// Repair: Choose another name.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        self: Db = Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.own.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
