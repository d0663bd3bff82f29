// C1. `runtime` takes the handle of a tokio runtime, and not the runtime itself, which a tree cannot clone.
// Repair: Take a `Handle` as the parameter, and pass `runtime.handle().clone()`.
use std::sync::Arc;

use supervise::prelude::*;
use tokio::runtime::Runtime;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(heavy: Arc<Runtime>) {
        #[runtime(heavy)] //~
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(Arc::new(Runtime::new()?)).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
