// C2. Each of these trees would start the other, without end.
// Repair: Write a set, which begins empty, for one of them.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
        back: Back = Back::tree(),
    }
    struct Back {
        shop: Shop = Shop::tree(), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    println!("{:?}", shop.back);
    shop.shutdown().await;
    Ok(())
}
