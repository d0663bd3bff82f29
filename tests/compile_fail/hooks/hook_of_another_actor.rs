// C11. The hook of a child takes the child's own type.
// Repair: Name a function for that type, or a generic function.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Cart;

supervisor! {
    struct Shop {
        #[pre_restart(note)] //~
        db: Db = Db,
    }
}

fn note(_cart: &mut Cart) {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
