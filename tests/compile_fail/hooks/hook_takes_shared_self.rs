// C11. A hook takes `&mut self`, not `&self`. It has exclusive access to the actor, so that it can change the actor and
// keep the reference across an await.
// Repair: Write `&mut self`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[post_restart(Db::load)] //~
        db: Db = Db,
    }
}

impl Db {
    async fn load(&self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
