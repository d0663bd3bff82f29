// C13. Under a group strategy one budget counts the restarts of all members, because they are restarted together.
// Repair: Write the limit into `strategy`, or choose `OneForOne`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(RestForOne)]
        #[limit(max_restarts = 3)] //~
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
