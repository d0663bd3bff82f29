// C10. A decider consists of arms, or is a function or closure from a failure to a directive. rustc reports the type
// that it found instead.
// Repair: Pass an `Fn(&Failure) -> Directive`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[decider(strict)] //~
        db: Db = Db,
    }
}

fn strict(_failure: &Failure) {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
