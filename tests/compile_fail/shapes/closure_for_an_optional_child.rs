// C1. An `Option<T>` starts from an `Option`: the expression decides whether the child exists.
// Repair: Write `Some(..)`, `None`, or an `if` that evaluates to one of them.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(on: bool) {
        audit: Option<Db> = || Some(Db), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(true).await?;
    assert!(shop.audit.is_some());
    shop.shutdown().await;
    Ok(())
}
