// C8. Every restart of the tree needs the parameters again, so they are `Clone`. They move between threads together
// with the supervisor.
// Repair: Put an `Arc` around the value.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop(socket: Socket) { //~
        db: Db = { let _: &Socket = &socket; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(Socket).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
