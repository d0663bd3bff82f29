// `tree/comma_and_semicolon_confused.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let size = 3;
        db: Db = Db,
        log: Db = Db,
        row: [Db; 2] = |_i: usize| { let _ = size; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.log.tell(()).await?;
    shop.row[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
