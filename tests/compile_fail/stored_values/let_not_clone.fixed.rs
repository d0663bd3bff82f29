// `stored_values/let_not_clone.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop {
        let socket = std::sync::Arc::new(Socket);
        db: Db = { let _ = socket; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
