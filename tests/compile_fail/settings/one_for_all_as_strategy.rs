// C1. The group strategy is `AllForOne`: all are restarted for one. The musketeers have it both ways round, and letter
// by letter `OneForOne` would be nearer, but it means the opposite.
// Repair: `AllForOne`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForAll, max_restarts = 3, within = 1min)] //~
        db: Db = Db,
    }
}

fn main() {}
