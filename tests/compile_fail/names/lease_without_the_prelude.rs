// C2. The method that names the lease of a tree belongs to a trait, which is in the prelude.
// Repair: Import the prelude, or `supervise::lease::LeaseToken`.
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
    println!("{:?}", shop.lease_token()); //~
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
