// `spawned/array_as_a_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut dbs = Vec::new();
    for i in 0..2 {
        dbs.push(spawn(child! { format!("db {i}"): Db = Db }).await?);
    }
    let db = dbs.remove(0);
    db.tell(()).await?;
    Ok(())
}
