// C11. A restart hook takes `&mut Self`, then `&Failure`, `&mut Context<Self>`, both or neither. The message shows the
// parameters that were found.
// Repair: Change the function.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[pre_restart(Db::dump)] //~
        db: Db = Db,
    }
}

impl Db {
    fn dump(&mut self, _retries: u32) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
