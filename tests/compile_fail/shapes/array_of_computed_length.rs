// C1. The handle of `[T; N]` is an array, so N is known when the tree is compiled. A number that is known when the tree
// starts is one of a set.
// Repair: Write a number or a constant, or `[T]` with `initial`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(n: usize) {
        dbs: [Db; n] = |_i: usize| Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(4).await?;
    shop.dbs[0].tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
