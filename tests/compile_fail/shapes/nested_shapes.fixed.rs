// `shapes/nested_shapes.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Sessions {
        all: [Db] = || Db,
    }

    struct Shop {
        sessions: Option<Sessions> = Some(Sessions::tree()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    assert!(shop.sessions.is_some());
    shop.shutdown().await;
    Ok(())
}
