// C1. A `child!` is one child, with one name.
// Repair: Spawn each child in a loop.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "db": [Db; 2] = |_i| Db }).await?; //~
    db.tell(()).await?;
    Ok(())
}
