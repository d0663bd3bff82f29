// C5. A `Temporary` child is never restarted: it waits for nothing, calls no restart hook, and gets no message twice.
// Repair: remove them, or take another lifecycle.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        #[backoff(1s..2s)] //~
        #[pre_restart(Db::dump)] //~
        #[redeliver(attempts = 2)] //~
        once: Db = Db,
    }
}

impl Db {
    fn dump(&mut self) {}
}

fn main() {}
