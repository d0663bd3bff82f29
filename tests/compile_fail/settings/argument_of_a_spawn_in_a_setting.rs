// C1. The settings of a set are the same for all its instances. The arguments of a spawn belong to one of them.
// Repair: Write a value, or make each instance a subtree that has the setting inside.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(most)] //~
        db: [Db] = |most: usize| { let _ = most; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.spawn(3).await?;
    shop.shutdown().await;
    Ok(())
}
