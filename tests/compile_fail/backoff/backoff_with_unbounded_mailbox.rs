// C5. Messages stay in the mailbox while the child is backing off. An unbounded mailbox would grow for as long as the
// other side is down.
// Repair: Bound the mailbox, or add `while_down(Reject)`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[mailbox(Unbounded)] //~
        #[backoff(1s..1min)]
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
