// `tree/half_typed_code.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(config: String) {
        let name = config.clone();
        let size = 3;
        db: Db = { let _ = (name, size); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(String::new()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
