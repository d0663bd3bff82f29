// C3. A number without a unit is not a duration, because 5 means seconds in one library and milliseconds in the next.
// The units are ns, us, ms, s, min, h and d.
// Repair: Write `5s`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 2.5)] //~
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
