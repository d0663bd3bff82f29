// C2. The methods that look at a tree belong to traits, which are in the prelude.
// Repair: Import the prelude, or `supervise::inspect::Inspect`.
use supervise::{actor, supervisor};

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
    let shop = Shop::start().await?;
    println!("{}", shop.health()); //~
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
