// C6. A limit that the delays make unreachable would never have an effect. Here 11 failures take 157.5 s, and the
// window forgets a failure after 60 s.
// Repair: Write a longer window, or fewer restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = 10, within = 1min)]
        #[backoff(3s..30s)] //~
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
