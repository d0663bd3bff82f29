// C4. A `Temporary` child is never restarted, so there is nothing to count, neither for a tree of them nor for one.
// Repair: remove the limit, or take another lifecycle.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = 3)] //~
        #[lifecycle(Temporary)]
        #[limit(max_restarts = 3)] //~
        once: Db = Db,
    }
}

fn main() {}
