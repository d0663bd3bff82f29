// `spawned/documentation.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! {
        // The only one.
        "db": Db = Db
    });
    let db = db.await?;
    db.tell(()).await?;
    Ok(())
}
