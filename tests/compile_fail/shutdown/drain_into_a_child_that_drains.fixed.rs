// `shutdown/drain_into_a_child_that_drains.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![shutdown(30s)]
        #[lifecycle(Permanent, drain)]
        store: Db = Db,
        #[lifecycle(Permanent, drain)]
        intake: Db = { let _ = store; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.store.tell(()).await?;
    shop.intake.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
