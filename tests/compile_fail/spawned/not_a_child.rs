// C1. A spawn takes a `child!`, which has a name, and a start expression for the starts that follow.
// Repair: Write a `child!` around the actor.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(Db).await?; //~
    db.tell(()).await?;
    Ok(())
}
