// `spawned/variable_is_not_clone.rs`, repaired.
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
    let db = spawn(child! { #[lifecycle(Temporary)] "db": Db = Db(pool) }).await?;
    db.tell(()).await?;
    Ok(())
}
