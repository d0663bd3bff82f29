// `hooks/hook_of_another_actor.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Cart;

supervisor! {
    struct Shop {
        #[pre_restart(note)]
        db: Db = Db,
    }
}

fn note(_db: &mut Db) {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
