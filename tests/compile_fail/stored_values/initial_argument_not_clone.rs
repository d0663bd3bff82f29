// C8. The initial children start again whenever the set restarts, even if each of them starts only once by itself.
// Repair: Spawn the child through the handle, or put an `Arc` around the argument.
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
        #[initial([Socket])]
        sessions: [Db] = |socket: Socket| { let _ = socket; Db }, //~
        #[lifecycle(Temporary)]
        #[initial([(1, Socket)])]
        rooms: [u64 => Db] = |_room: u64, socket: Socket| { let _ = socket; Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(Socket).await?;
    shop.rooms.spawn(1, Socket).await?;
    shop.shutdown().await;
    Ok(())
}
