// C1. The value of a setting can be any Rust expression, and the expression can use the parameters. rustc checks its
// type and reports the error at the value.
// Repair: Write an expression of the expected type.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(grace: u32) {
        #[mailbox(Bounded(64), ask = grace)] //~
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(5).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
