// C9. `spawn_with` starts an actor from a closure that returns it, or a future of it.
// Repair: Write a `child!` for a task, a tree, or a child with settings.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let task = spawn_with("task", || std::future::pending::<()>()).await?; //~
    task.stop();
    let db = spawn_with("db", || Db).await?;
    db.tell(()).await?;
    Ok(())
}
