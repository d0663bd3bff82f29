// C8. A tree keeps its parameters for its restarts, so their types are `Clone + Send`, type parameters too.
// Repair: Write the bounds. `'static` is implied.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop<T>(first: T) { //~
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
