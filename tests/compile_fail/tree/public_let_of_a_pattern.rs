// C1. The handle returns a `pub let` by a method of its name, so it has one name.
// Repair: Write a `let` with the pattern, and a `pub let` for each value that the handle should return.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        pub let (host, port): (String, u16) = ("localhost".to_owned(), 80); //~
        db: Db = { let _ = (host, port); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
