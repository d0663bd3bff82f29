// C11. A hook is the path of a function, and that of a method begins with its type.
// Repair: Write `Type::method`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
    fn flush(&mut self) {}
}

supervisor! {
    struct Shop {
        #[pre_restart(flush)] //~
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
