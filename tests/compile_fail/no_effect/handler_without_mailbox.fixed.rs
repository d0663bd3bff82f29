// `no_effect/handler_without_mailbox.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent)]
        poller: task = std::future::pending::<()>(),

        #[lifecycle(Permanent)]
        below: struct Below {
            #[lifecycle(Permanent, handler = 5s)]
            db: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.below.db.tell(()).await?;
    shop.poller.stop();
    shop.shutdown().await;
    Ok(())
}
