// C1. Where a setting takes a word, only the predefined words are allowed, not variables or enums of your own.
// Repair: Use the word that the message proposes, or one from its list.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanant)] //~
        db: Db = Db,
        #[while_down(Forget)] //~
        cart: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.cart.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
