// `no_effect/best_effort_of_a_significant_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary, significant)]
        main: Db = Db,
        #[lifecycle(Temporary, best_effort)]
        other: Db = Db,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.main.tell(()).await?;
    shop.other.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
