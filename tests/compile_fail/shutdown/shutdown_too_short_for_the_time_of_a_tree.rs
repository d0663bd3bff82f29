// C12. A tree that has a time for its end takes at most that long, even if its children may take longer.
// Repair: Write the time that the message names.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(shutdown = 2s)] //~
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
