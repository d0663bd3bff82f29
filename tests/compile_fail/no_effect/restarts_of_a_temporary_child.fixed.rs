// `no_effect/restarts_of_a_temporary_child.rs`, repaired.
use supervise::prelude::*;

struct Db;

#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        #[decider(Cause::Panic(_) => Resume, _ => Restart)]
        db: Db = Db,
        #[lifecycle(Temporary)]
        #[decider(Cause::Panic(_) => Escalate, _ => Restart)]
        jobs: [task] = |_name: String| async {},
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.db.tell(()).await?;
    shop.jobs.spawn("one".to_owned()).await?;
    shop.shutdown().await;
    Ok(())
}
