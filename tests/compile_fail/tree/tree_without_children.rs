// C1. A supervisor without children would have nothing to do and would never end.
// Repair: Declare a child. It can be a `task`, or a `[..]`, which may be empty while the tree runs.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Empty {} //~
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let empty = Empty::start().await?;
    empty.shutdown().await;
    Ok(())
}
