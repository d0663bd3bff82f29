// `tree/where_before_the_parameters.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop<T>(first: T)
    where
        T: Clone + Send,
    {
        db: Db = { let _ = first; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(5).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
