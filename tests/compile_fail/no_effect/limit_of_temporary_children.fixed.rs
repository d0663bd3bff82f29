// `no_effect/limit_of_temporary_children.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = 3)]
        #[lifecycle(Transient)]
        #[limit(max_restarts = 3)]
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
