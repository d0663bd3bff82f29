// `stored_values/initial_argument_not_clone.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        sessions: [Db] = |socket: Socket| { let _ = socket; Db },
        #[lifecycle(Temporary)]
        #[initial([(1, std::sync::Arc::new(Socket))])]
        rooms: [u64 => Db] = |_room: u64, socket: std::sync::Arc<Socket>| { let _ = socket; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(Socket).await?;
    shop.rooms.spawn(1, std::sync::Arc::new(Socket)).await?;
    shop.shutdown().await;
    Ok(())
}
