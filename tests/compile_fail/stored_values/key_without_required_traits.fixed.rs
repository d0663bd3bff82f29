// `stored_values/key_without_required_traits.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct User;
impl std::fmt::Display for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("user")
    }
}

supervisor! {
    struct Shop {
        sessions: [User => Db] = |_user: User| Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.sessions.spawn(User).await?;
    shop.shutdown().await;
    Ok(())
}
