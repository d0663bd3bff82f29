// C8. The handle returns a clone of a `pub let`, and the tree keeps the value itself.
// Repair: Wrap the value in an `Arc`, or remove `pub`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        pub let socket: std::net::TcpListener = std::net::TcpListener::bind("127.0.0.1:0")?; //~
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
