// C3. A number alone is no time: 5 seconds in one library are 5 milliseconds in the next. The units are ns, us, ms, s,
// min, h and d.
// Repair: `5s`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 2.5)] //~
        b: Db = Db,
    }
}

fn main() {}
