// C1. An argument of a setting is not a setting itself; it stands together with the other arguments of that setting.
// Repair: Write the setting around the argument, as the message shows.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![max_restarts(3)] //~
        #[random_factor(0.1)] //~
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
