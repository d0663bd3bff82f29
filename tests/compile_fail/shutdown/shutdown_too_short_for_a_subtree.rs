// C12. Children stop one after the other, so a subtree needs the time of all of them together; past its own it is
// aborted, and with it what was still saving its work.
// Repair: the time that the message names, or none: then it is that of the children.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5s)] //~
        reports: struct Reports {
            #[lifecycle(Permanent, shutdown = 10s)]
            daily: Db = Db,
            index: Db = Db,
        },
    }
}

fn main() {}
