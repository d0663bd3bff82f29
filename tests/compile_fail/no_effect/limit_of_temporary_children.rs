// C4. A `Temporary` child is never restarted, so a limit has nothing to count, for one child or for a tree of them.
// Repair: Remove the limit, or choose another lifecycle.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = 3)] //~
        #[lifecycle(Temporary)]
        #[limit(max_restarts = 3)] //~
        once: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.once.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
