// `no_effect/initial_of_a_single_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        row: [Db; 2] = |_i: usize| Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.row[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
