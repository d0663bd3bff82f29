// C9. The type of a spawned child is an actor or a tree, or the word `task`.
// Repair: Make the type an actor, or name the type that you mean.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Config;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = spawn(child! { "config": Config = Config }).await?; //~
    println!("{}", config.path());
    let db = spawn(child! { "db": Db = Db }).await?;
    db.tell(()).await?;
    Ok(())
}
