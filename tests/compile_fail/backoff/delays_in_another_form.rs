// C5. The least and the greatest delay are one range, whatever form other systems give them.
// Repair: Write `MIN..MAX`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(3s, 30s)] //~
        db: Db = Db,
        #[backoff(min = 3s, max = 30s)] //~
        copy: Db = Db,
        #[backoff(3s-30s)] //~
        mirror: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
