// C4. To drain is to handle what is queued before the end. A task has no mailbox, nor has a subtree: its actors have.
// Repair: write it above those.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Transient, drain)] //~
        beat: task = std::future::pending::<()>(),
        #[lifecycle(drain)] //~
        reports: struct Reports {
            daily: Db = Db,
        },
    }
}

fn main() {}
