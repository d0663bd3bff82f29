// C1. An argument is given once, whether it has a name or only a place.
// Repair: keep the value that is meant.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, AllForOne)] //~
        #[lifecycle(shutdown = 5s, shutdown = 9s)] //~
        db: Db = Db,
    }
}

fn main() {}
