// C6. A window of its own without a number is one for the default of 10 restarts: 11 failures take at least 90 ms.
// Repair: a longer window, or a number of restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[limit(within = 50ms)] //~
        db: Db = Db,
    }
}

fn main() {}
