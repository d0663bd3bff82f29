// C1. An inline subtree is a supervisor, and messages go to the actors inside it.
// Repair: Write the setting above the actor that it is for.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[while_down(Reject)] //~
        reports: struct Reports {
            daily: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.reports.daily.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
