// C5. The delays start over when the child has been up for the reset time. If that time is shorter than the shortest
// delay, the delays of a child that fails again and again hardly ever grow.
// Repair: Write a longer time.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(10s..1min, reset = 1s)] //~
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
