// C1. A tree has no defaults: each caller of `start` passes all parameters.
// Repair: Pass the value to `start`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: String) {}
}

supervisor! {
    struct Shop(size: u32 = 5) { //~
        #[mailbox(Bounded(size as usize))]
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(5).await?;
    shop.db.tell("a".to_owned()).await?;
    shop.shutdown().await;
    Ok(())
}
