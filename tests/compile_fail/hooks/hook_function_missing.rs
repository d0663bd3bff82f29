// C11. A restart hook in a tree is the path of a function that replaces the hook of the type. rustc resolves the path.
// Repair: Write the function, or correct its name.
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
    fn dmup(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
