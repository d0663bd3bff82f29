// C1. Arguments are separated by commas, as in a call. What follows the mistake is read all the same.
// Repair: write the comma.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent shutdown = 5s)] //~
        db: Db = Db,
    }
}

fn main() {}
