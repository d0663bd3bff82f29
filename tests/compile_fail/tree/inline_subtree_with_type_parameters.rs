// C1. An inline subtree may name everything that its tree may name, the type parameters included.
// Repair: Remove the parameters of the subtree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop<T: Clone + Send>(first: T) {
        stock: struct Stock<T> { //~
            db: Db = { let _ = first; Db },
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(5).await?;
    shop.stock.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
