// `tree/inline_subtree_with_type_parameters.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop<T: Clone + Send>(first: T) {
        stock: struct Stock {
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
