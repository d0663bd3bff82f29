// `no_effect/drain_without_mailbox.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Transient)]
        beat: task = std::future::pending::<()>(),
        reports: struct Reports {
            #[lifecycle(drain)]
            daily: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.beat.stop();
    shop.reports.daily.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
