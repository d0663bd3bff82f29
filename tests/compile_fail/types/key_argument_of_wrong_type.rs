// C9. The first argument of a keyed set's closure is the key, so it has the type in the brackets.
// Repair: Use the same type in both places.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: [u64 => Db] = |name: String| { let _ = name; Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(1).await?;
    shop.shutdown().await;
    Ok(())
}
