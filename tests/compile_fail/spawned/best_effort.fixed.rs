// `spawned/best_effort.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { #[lifecycle(Transient)] "db": Db = Db }).await?;
    db.tell(()).await?;
    Ok(())
}
