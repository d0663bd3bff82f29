// C4. A spawn waits for its child and returns its failure; no other child waits for it.
// Repair: Remove `best_effort`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { #[lifecycle(Transient, best_effort)] "db": Db = Db }).await?; //~
    db.tell(()).await?;
    Ok(())
}
