// C3. Units are written in one way each. `m` is none: it would be a minute to one reader and a milli-something to
// another.
// Repair: `min` or `ms`; the others are in the list.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5sec)] //~
        db: Db = Db,
        #[lifecycle(Permanent, shutdown = 5m)] //~
        b: Db = Db,
    }
}

fn main() {}
