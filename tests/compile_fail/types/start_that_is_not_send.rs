// C9. A start expression runs in the task of its child, which may move to another thread at each `.await`.
// Repair: Drop the value before the `.await`, or use a type that is `Send`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = { let n = std::rc::Rc::new(5); tokio::task::yield_now().await; assert_eq!(*n, 5); Db }, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
