// `stored_values/parameter_not_clone.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop(socket: std::sync::Arc<Socket>) {
        db: Db = { let _: &Socket = &socket; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(std::sync::Arc::new(Socket)).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
