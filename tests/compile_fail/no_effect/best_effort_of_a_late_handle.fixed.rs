// `no_effect/best_effort_of_a_late_handle.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        maybe: Option<Db> = Some(Db),
        reports: struct Reports {
            #[lifecycle(Permanent, best_effort)]
            db: Db = Db,
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    assert!(shop.maybe.is_some());
    shop.reports.db.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
