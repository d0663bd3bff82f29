// C5. A `Temporary` child is never restarted, so a backoff, a restart hook and redelivery have no effect on it.
// Repair: Remove the settings, or choose another lifecycle.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        #[backoff(1s..2s)] //~
        #[pre_restart(Db::dump)] //~
        #[redeliver(attempts = 2)] //~
        once: Db = Db,
    }
}

impl Db {
    fn dump(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.once.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
