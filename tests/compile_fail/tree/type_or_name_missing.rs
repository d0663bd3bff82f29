// C1. A child is `name: Type = start`, and a parameter is `name: Type`.
// Repair: Write the missing part at the mark.
use supervise::prelude::*;

struct Db(u32);
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: = Db(1), //~
    }
    struct Yard((a, b): (u32, u32)) { //~
        db: Db = Db(a + b),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    let yard = Yard::start((1, 2)).await?;
    yard.db.tell(()).await?;
    Ok(())
}
