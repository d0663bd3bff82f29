// C9. The start expression evaluates to the declared type: for an actor the actor itself, for a tree a `Tree<..>`.
// rustc reports the error at the expression.
// Repair: Return the declared type.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = 5, //~
        maybe: Option<Db> = Db, //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    assert!(shop.maybe.is_some());
    shop.shutdown().await;
    Ok(())
}
