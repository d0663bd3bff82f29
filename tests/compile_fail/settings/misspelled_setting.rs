// C1. An unknown setting is an error at its name, and the message proposes the nearest setting. If the macro ignored
// the setting, the tree would not do what you wrote.
// Repair: Use the name that the message proposes.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backof(1s..2s)] //~
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
