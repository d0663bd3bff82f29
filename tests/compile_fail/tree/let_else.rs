// C1. A `let` among the children always binds, because there is no tree to return from. Use `?` for a failure: the
// start of the tree then fails.
// Repair: Write a pattern that always matches.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let Some(size) = Some(3) else { return }; //~
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
