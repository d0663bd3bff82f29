// C8. A supervisor and its parameters can move between threads, so the parameters are `Send`.
// Repair: Replace the `Rc` by an `Arc`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(names: std::rc::Rc<str>) { //~
        db: Db = { let _: &str = &names; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start("db".into()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
