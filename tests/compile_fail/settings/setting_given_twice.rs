// C1. A setting is given once: of two values one would be lost, and which one would be a guess. Both places are shown.
// Repair: keep the one that is meant.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent)]
        #[lifecycle(Transient)] //~
        db: Db = Db,
    }
}

fn main() {}
