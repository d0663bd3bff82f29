// C1. An inline subtree is part of the tree around it, and a `child!` has none.
// Repair: Declare a tree, and name it in the `child!`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "shop": struct Shop { db: Db = Db } }).await?.db; //~
    db.tell(()).await?;
    Ok(())
}
