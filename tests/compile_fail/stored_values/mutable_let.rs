// C8. Each start expression gets a clone of a `let`, so a change in one is not seen by the others, nor by the next
// start.
// Repair: Keep what changes in an `Arc`, as an atomic or behind a `Mutex`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let mut starts = 0; //~
        db: Db = { starts += 1; println!("{starts}"); Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
