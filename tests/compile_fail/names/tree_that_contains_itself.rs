// C2. A tree cannot be its own child, because the recursion would not end. A set of the tree's own type is possible,
// since a `[..]` begins empty.
// Repair: Write `[Dir]`, and spawn through the handle.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Dir {
        sub: Dir = Dir::tree(), //~
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
