// C6. A limit that the waits make unreachable would never stop anything: 11 failures of this child take 157.5 s, and
// the window forgets them after 60.
// Repair: a longer window, or fewer restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = 10, within = 1min)]
        #[backoff(3s..30s)] //~
        db: Db = Db,
    }
}

fn main() {}
