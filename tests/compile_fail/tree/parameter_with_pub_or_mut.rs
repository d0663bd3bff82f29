// C1. A parameter is a value that the tree keeps for its restarts. Each start gets a clone of its own.
// Repair: Remove the word.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(
        pub url: String, //~
        mut port: u16, //~
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
