// C1. A child ends with `,` like a field, and a `let` ends with `;` like a statement. If they were mixed up, the end of
// an entry would be unclear.
// Repair: Use the character that the message names.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let size = 3, //~
        db: Db = Db; //~
        log: Db = Db
        row: [Db; 2] = |_i: usize| { let _ = size; Db }, //~
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
