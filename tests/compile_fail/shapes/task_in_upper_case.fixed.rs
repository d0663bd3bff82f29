// `shapes/task_in_upper_case.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
        server: task = |cx| async move { cx.stopped().await; },
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
