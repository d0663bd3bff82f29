// C7. `later(..)` gives the handle of one actor or task. An optional child or a subtree has a handle only once it was up.
// Repair: Declare it above, or name a child of it.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        a: Db = { let _ = later(maybe); Db }, //~
        b: Db = { let _ = later(reports); Db }, //~
        maybe: Option<Db> = Some(Db),
        reports: struct Reports { daily: Db = Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shutdown().await;
    Ok(())
}
