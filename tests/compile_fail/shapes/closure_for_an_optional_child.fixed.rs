// `shapes/closure_for_an_optional_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(on: bool) {
        audit: Option<Db> = on.then_some(Db),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(true).await?;
    assert!(shop.audit.is_some());
    shop.shutdown().await;
    Ok(())
}
