// C3. A duration is written in decimal, without an exponent, as it is spoken.
// Repair: convert it.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 0x5s)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 1e3s)] //~
        b: Db = Db,
    }
}

fn main() {}
