// C4. A `Temporary` child is never restarted, whatever its decider answers; for a task `Resume` is a restart too.
// Repair: Answer `Resume` or `Escalate` for some failures, or remove the decider.
use supervise::prelude::*;

struct Db;

#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        #[decider(Cause::Panic(_) => Restart, _ => Restart)] //~
        db: Db = Db,
        #[lifecycle(Temporary)]
        #[decider(Cause::Panic(_) => Resume, _ => Restart)] //~
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
