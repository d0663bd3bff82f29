// C1. The code around a `child!` decides whether there is a child.
// Repair: Write an `if` around the spawn.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "db": Option<Db> = Some(Db) }).await?; //~
    db.tell(()).await?;
    Ok(())
}
