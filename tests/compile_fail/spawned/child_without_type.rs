// C1. The type of a child says what its start is.
// Repair: Write the type.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "db" = Db }).await?; //~
    db.tell(()).await?;
    Ok(())
}
