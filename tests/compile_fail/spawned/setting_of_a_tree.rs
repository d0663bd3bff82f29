// C1. An actor says how it supervises its children in `supervision()`, and a top-level child has no siblings.
// Repair: Write the settings of the child, as `#[..]`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { #![backoff(1s..30s)] "db": Db = Db }).await?; //~
    db.tell(()).await?;
    Ok(())
}
