// C8. The start of a child runs again at each restart, so it needs its own clone of each variable that it names.
// Repair: Wrap the variable in an `Arc`, make it inside the start, or make the child `Temporary`, which is started once.
use supervise::prelude::*;

struct Pool;

struct Db(Pool);
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {
        let _ = &self.0;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pool = Pool;
    let db = spawn(child! { "db": Db = Db(pool) }).await?; //~
    db.tell(()).await?;
    Ok(())
}
