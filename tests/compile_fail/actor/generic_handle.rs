// C14. An actor has one type of messages, which its mailbox and its handles are made for.
// Repair: Write an enum of the messages, or put the parameter on the `impl`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle<M: Into<u8>>(&mut self, _msg: M) {} //~
}

supervisor! {
    struct Shop {
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(3).await?;
    shop.shutdown().await;
    Ok(())
}
