// `names/looking_without_the_prelude.rs`, repaired.
use supervise::inspect::Inspect;
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
    println!("{}", shop.health());
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
