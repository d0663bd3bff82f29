// C4. The tree ends when a significant `Temporary` child fails, so its first start cannot go on without it.
// Repair: Remove `best_effort` or `significant`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary, significant, best_effort)] //~
        main: Db = Db,
        other: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.main.tell(()).await?;
    shop.other.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
