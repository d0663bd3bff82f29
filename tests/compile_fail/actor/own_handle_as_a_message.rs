// C14. The message follows after `self`. The own handle is in the context.
// Repair: Remove the parameter, and call `cx.actor_ref()`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _own: ActorRef<Self>, _msg: u8) {} //~
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
