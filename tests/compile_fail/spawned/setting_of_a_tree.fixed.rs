// `spawned/setting_of_a_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { #[backoff(1s..30s)] "db": Db = Db }).await?;
    db.tell(()).await?;
    Ok(())
}
