// C1. Code rarely parses while you type it. The macro inserts a placeholder for a missing name, so that rustc and the
// editor know everything else in the tree and around it.
// Repair: Complete the expression.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(config: String) {
        let name = config.; //~
        let size = ; //~
        db: Db = Db::, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(String::new()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
