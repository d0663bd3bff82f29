// C7. A start expression belongs to no method. It names parameters, `let`s and earlier children as variables.
// Repair: Write the name alone.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(url: String) {
        db: Db = { drop(self.url); Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start("here".to_owned()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
