// `tree/tree_without_children.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Empty {
        dbs: [Db] = || Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let empty = Empty::start().await?;
    empty.dbs.spawn().await?;
    empty.shutdown().await;
    Ok(())
}
