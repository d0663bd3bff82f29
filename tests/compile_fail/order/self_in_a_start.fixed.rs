// `order/self_in_a_start.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(url: String) {
        db: Db = { drop(url); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start("here".to_owned()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
