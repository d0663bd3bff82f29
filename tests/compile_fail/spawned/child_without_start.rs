// C1. A child has a start expression, which runs at every start.
// Repair: Write the start expression.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "db": Db }).await?; //~
    db.tell(()).await?;
    Ok(())
}
