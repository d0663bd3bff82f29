// `shapes/array_of_computed_length.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(n: usize) {
        #[initial(0..n)]
        dbs: [Db] = |_i: usize| Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(4).await?;
    shop.dbs.spawn(5).await?;
    shop.shutdown().await;
    Ok(())
}
