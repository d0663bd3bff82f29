// `settings/argument_of_a_spawn_in_a_setting.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(10)]
        db: [Db] = |most: usize| { let _ = most; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.spawn(3).await?;
    shop.shutdown().await;
    Ok(())
}
