// C1. A `child!` is one child; a set has a handle of its own, and belongs to a tree.
// Repair: Write a `child!` for each child, or spawn a tree with the set.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "db": [Db] = || Db }).await?; //~
    db.tell(()).await?;
    Ok(())
}
