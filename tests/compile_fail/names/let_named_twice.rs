// C2. The names of a tree are those of its handles and paths, too, so a `let` shadows nothing.
// Repair: Rename one of them, or make the value in one expression.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let url = "here";
        let url = url.len(); //~
        db: Db = { println!("{url}"); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
