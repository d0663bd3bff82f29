// `spawned/inline_subtree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = spawn(child! { "shop": Shop = Shop::tree() }).await?.db.clone();
    db.tell(()).await?;
    Shop::start().await?.shutdown().await;
    Ok(())
}
