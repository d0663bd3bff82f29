// `stored_values/parameter_not_send.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(names: std::sync::Arc<str>) {
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
