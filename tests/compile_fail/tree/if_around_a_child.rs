// C1. The children of a tree are fixed when it is compiled, so that its handle can be typed.
// Repair: Declare an `Option<Type>`, or write `#[cfg(..)]` above the child.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        if cfg!(debug_assertions) { //~
            db: Db = Db,
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    println!("{:?}", shop.db);
    shop.shutdown().await;
    Ok(())
}
