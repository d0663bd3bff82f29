// C9. The initial children of a set are spawned like all others: each item is the arguments of one spawn.
// Repair: Write items of that type, or tuples if there are several arguments.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[initial(["one", "two"])] //~
        sessions: [Db] = |user: u64| { let _ = user; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(1).await?;
    shop.shutdown().await;
    Ok(())
}
