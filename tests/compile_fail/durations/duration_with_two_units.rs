// C3. A duration has one unit, so that it can be compared at a glance.
// Repair: the message has the same time in the smaller one.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 1m30s)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 1h30min)] //~
        b: Db = Db,
    }
}

fn main() {}
