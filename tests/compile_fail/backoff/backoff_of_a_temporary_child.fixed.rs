// `backoff/backoff_of_a_temporary_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Transient)]
        #[backoff(1s..2s)]
        #[pre_restart(Db::dump)]
        #[redeliver(attempts = 2)]
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
