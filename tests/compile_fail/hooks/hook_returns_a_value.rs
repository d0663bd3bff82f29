// C11. A hook returns nothing, or a `Result<(), E>` whose error becomes the actor's error. The caller has no use for
// any other value.
// Repair: Return one of the two.
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
    fn load(&mut self) -> u32 { 5 }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
