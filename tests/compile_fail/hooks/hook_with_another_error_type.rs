// C11. The error of a hook becomes the error of the actor, whose type is the one that `handle` returns. If `handle`
// returns nothing, the actor has no errors and its hooks cannot fail.
// Repair: Let `handle` return a `Result<(), E>`, too.
use std::io;
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}

    #[pre_start]
    fn open(&mut self) -> io::Result<()> { //~
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "db": Db = Db }).await?;
    db.tell(()).await?;
    db.stop();
    Ok(())
}
