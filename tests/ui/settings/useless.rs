// An option that could never do anything is a misunderstanding, so it is an error.
// A window needs a number of restarts, a `Temporary` child has none, a task without a context has nothing to
// wait for, and under a group strategy there is one budget for all.
// Repair: each message names what to add or to remove.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop {
        #![strategy(AllForOne, within = 1min)]
        #[limit(max_restarts = 3)]
        db: Db = Db,
        #[lifecycle(Temporary)]
        #[backoff(1s..2s)]
        once: Db = Db,
        #[lifecycle(Permanent, shutdown = 5s)]
        beat: task = std::future::pending::<()>(),
        #[max_children(10)]
        one: Db = Db,
    }
}

fn main() {}
