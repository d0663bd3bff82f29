// C3. A duration is a decimal number without an exponent.
// Repair: Convert the number.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 0x5s)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 1e3s)] //~
        b: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.b.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
