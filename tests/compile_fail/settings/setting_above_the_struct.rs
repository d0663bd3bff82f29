// C1. Only documentation and `#[cfg(..)]` can stand above the `struct`. Settings of the tree stand inside the braces,
// with the children.
// Repair: Move the setting into the braces, with a `!`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    #[strategy(AllForOne)] //~
    struct Shop {
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
