// C1. A task has no type of its own. Its shape is the word `task`.
// Repair: Write `task`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
        server: Task = |cx| async move { cx.stopped().await; }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.server.stop();
    shop.shutdown().await;
    Ok(())
}
