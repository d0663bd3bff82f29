// `settings/runtime_of_wrong_type.rs`, repaired.
use supervise::prelude::*;
use tokio::runtime::Handle;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(heavy: Handle) {
        #[runtime(heavy)]
        db: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(Handle::current()).await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
