// `stored_values/mutable_let.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let starts = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
        db: Db = { starts.fetch_add(1, std::sync::atomic::Ordering::Relaxed); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
