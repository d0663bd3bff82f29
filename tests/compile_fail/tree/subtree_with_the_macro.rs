// C1. The macro reads a whole tree, subtrees included, so that it can check their names and times together.
// Repair: Write the subtree without the macro.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
        jobs: supervisor! { //~
            struct Jobs { cache: Db = Db }
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.jobs.cache.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
