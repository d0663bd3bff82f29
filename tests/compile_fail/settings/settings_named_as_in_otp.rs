// C1. Erlang programmers write `one_for_one`, `intensity` and `period`. The messages show the names that this crate
// uses.
// Repair: Write `OneForOne`, `max_restarts` and `within`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(one_for_one, intensity = 3, period = 5s)] //~ //~ //~
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
