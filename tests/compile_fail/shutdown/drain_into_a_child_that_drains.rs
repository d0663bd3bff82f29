// C12. Under `Together` both children drain at the same time, so the one that is drained into may be gone before the
// other has sent its last message.
// Repair: Remove one `drain`, or let the children stop one after the other.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![shutdown(30s, Together)]
        #[lifecycle(Permanent, drain)]
        store: Db = Db,
        #[lifecycle(Permanent, drain)] //~
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
