// C1. A shape contains an actor, a tree or `task`, but no other shape. An optional set is the same as a set, and the
// inner sets of a set of sets would have no names.
// Repair: Put the inner shape into a separate tree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: Option<[Db]> = Some(|| Db), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    assert!(shop.sessions.is_some());
    shop.shutdown().await;
    Ok(())
}
