// C4. A tree does not decide about the failure of a `Temporary` child, so that `_ => Escalate` is not about it.
// Repair: Write the decider above the child.
use supervise::prelude::*;

struct Db;

#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![decider(_ => Escalate)] //~
        #[lifecycle(Temporary)]
        db: Db = Db,
        #[lifecycle(Temporary)]
        log: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.log.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
