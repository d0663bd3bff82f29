// C1. A `let` is not a child and is not supervised, so settings do not apply to it.
// Repair: Move the setting above the child that uses the value.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent)] //~
        let size = 3;
        row: [Db; 2] = |_i: usize| { let _ = size; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.row[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
