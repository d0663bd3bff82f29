// C4. A window counts restarts, so it needs a number of them: without one it would look like a limit and be none.
// Repair: add `max_restarts`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, within = 1min)] //~
        db: Db = Db,
    }
}

fn main() {}
