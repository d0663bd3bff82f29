// C1. A tree may outlive the function that starts it, so neither it nor its parameters can borrow.
// Repair: Remove the lifetime, and write owned types.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop<'a>(name: &'a str) { //~
        db: Db = { let _ = name; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(String::new()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
