// `shutdown/shutdown_too_short_for_the_time_of_a_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(shutdown = 3s)]
        below: struct Below {
            #![shutdown(3s)]
            #[lifecycle(Permanent, shutdown = 1min)]
            db: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.below.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
