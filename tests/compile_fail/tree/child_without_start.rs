// C1. Every child has a start expression. The expression is evaluated for each start, and so defines the restarted
// child. The field in the handle exists anyway, so there are no other errors.
// Repair: Write `= start`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db, //~
    }
}

fn uses(shop: &Shop) -> &ActorRef<Db> {
    &shop.db
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
