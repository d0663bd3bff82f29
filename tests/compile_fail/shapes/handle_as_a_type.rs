// C1. The type of a child is that of the actor. The tree makes its handle, which anyone may clone.
// Repair: Write the type of the actor.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: ActorRef<Db> = Db, //~
        copy: std::sync::Arc<Db> = std::sync::Arc::new(Db), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.copy.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
