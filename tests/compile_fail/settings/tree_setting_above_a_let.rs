// C1. A setting of the tree is an inner attribute, with a `!`. Without it, it would be one of the entry below.
// Repair: Add the `!`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[strategy(RestForOne)] //~
        let copies = 3;
        db: Db = { let _ = copies; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
