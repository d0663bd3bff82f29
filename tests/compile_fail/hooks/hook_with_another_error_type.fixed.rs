// `hooks/hook_with_another_error_type.rs`, repaired.
use std::io;
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) -> io::Result<()> {
        Ok(())
    }

    #[pre_start]
    fn open(&mut self) -> io::Result<()> {
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
