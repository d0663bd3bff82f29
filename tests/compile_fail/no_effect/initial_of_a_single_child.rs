// C13. Only a `[..]` can begin with `initial` children; every other child exists from the beginning.
// Repair: Remove the setting.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[initial([1, 2])] //~
        row: [Db; 2] = |_i: usize| Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.row[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
