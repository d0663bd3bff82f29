// `spawned/neither_actor_nor_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[derive(Clone)]
struct Config;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = Config;
    let db = spawn(child! { "db": Db = { let _ = config; Db } }).await?;
    db.tell(()).await?;
    Ok(())
}
