// C14. The context belongs to the incarnation, and is lent to each call of `handle`.
// Repair: Take `&mut Context<Self>`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: u8, _cx: Context<Self>) {} //~
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
