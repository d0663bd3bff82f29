// `order/later_of_a_child_without_a_handle.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        maybe: Option<Db> = Some(Db),
        reports: struct Reports { daily: Db = Db },
        a: Db = { let _ = maybe; Db },
        b: Db = { let _ = reports; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.shutdown().await;
    Ok(())
}
