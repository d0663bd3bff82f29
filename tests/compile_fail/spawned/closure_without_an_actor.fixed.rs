// `spawned/closure_without_an_actor.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let task = spawn(child! { "task": task = std::future::pending::<()>() }).await?;
    task.stop();
    let db = spawn_with("db", || Db).await?;
    db.tell(()).await?;
    Ok(())
}
