// C1. Documentation of a child becomes that of a field, and a spawned child has none.
// Repair: Write an ordinary comment.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! {
        /// The only one. //~
        "db": Db = Db
    });
    let db = db.await?;
    db.tell(()).await?;
    Ok(())
}
