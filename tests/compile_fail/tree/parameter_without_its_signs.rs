// C1. Parameters are written as those of a function: the type after a colon, and a comma between two of them.
// Repair: Write the colon, or the comma.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(
        url String //~
        port: u16 //~
    ) {
        db: Db = { println!("{url}:{port}"); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start("here".to_owned(), 80).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
