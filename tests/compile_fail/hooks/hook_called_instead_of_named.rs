// C11. A hook is named and not called, because it runs at each restart, with the instance of that restart.
// Repair: Write only the path.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[pre_restart(Db::dump())] //~
        db: Db = Db,
    }
}

impl Db {
    fn dump(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
