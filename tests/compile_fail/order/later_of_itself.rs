// C7. A child has its own handle in its context, and needs none in its start.
// Repair: Use `cx.actor_ref()` in the actor.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: (), cx: &mut Context<Self>) {
        println!("{}", cx.actor_ref().path());
    }
}

supervisor! {
    struct Shop {
        db: Db = { let _ = later(db); Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
