// C1. A number of restarts is a number, and a time to count them in is a time.
// Repair: write the number without a unit.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = 3s, within = 1min)] //~
        #[mailbox(Bounded(10ms))] //~
        db: Db = Db,
    }
}

fn main() {}
