// `tree/if_around_a_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Option<Db> = if cfg!(debug_assertions) { Some(Db) } else { None },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    println!("{:?}", shop.db);
    shop.shutdown().await;
    Ok(())
}
