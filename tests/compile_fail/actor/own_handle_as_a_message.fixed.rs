// `actor/own_handle_as_a_message.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: u8, cx: &mut Context<Self>) {
        let _own = cx.actor_ref();
    }
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
