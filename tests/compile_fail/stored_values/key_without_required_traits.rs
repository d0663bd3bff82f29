// C8. A key finds the child and is the last part of the child's path, so it is `Clone + Eq + Hash + Display`.
// Repair: Derive the first three, and implement `Display`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct User;

supervisor! {
    struct Shop {
        sessions: [User => Db] = |_user: User| Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(User).await?;
    shop.shutdown().await;
    Ok(())
}
