// C4. To handle what is queued takes time, and `Kill` leaves none.
// Repair: a time for the shutdown.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(drain, shutdown = Kill)] //~
        db: Db = Db,
    }
}

fn main() {}
