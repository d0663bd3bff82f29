// C11. Above a child stand the hooks of this one child, which run at a restart. The others belong to the type, for each
// of its instances.
// Repair: Mark a method of the `#[actor] impl`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

async fn open(_: &mut Db) {}

supervisor! {
    struct Shop {
        #[pre_start(open)] //~
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
