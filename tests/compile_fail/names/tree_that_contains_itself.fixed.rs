// `names/tree_that_contains_itself.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Dir {
        sub: [Dir] = || Dir::tree(),
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = Dir::start().await?;
    dir.sub.spawn().await?;
    dir.db.tell(()).await?;
    dir.shutdown().await;
    Ok(())
}
