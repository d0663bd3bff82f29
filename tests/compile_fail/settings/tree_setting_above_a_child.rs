// C1. A setting of all children stands inside the braces, as `#![..]`. Above a child it would seem to apply to that
// child only.
// Repair: Move the setting to the top of the braces, with a `!`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[strategy(AllForOne)] //~
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
