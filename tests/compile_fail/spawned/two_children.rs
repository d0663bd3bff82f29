// C1. A `child!` is the value of one child.
// Repair: Write a `child!` for each child.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "db": Db = Db, "cart": Db = Db }).await?; //~
    db.tell(()).await?;
    Ok(())
}
