// C6. Without a backoff, too, restarts are at least 10 ms apart: nothing fails a thousand times in a second.
// Repair: a longer window, or fewer restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = 1000, within = 1s)] //~
        db: Db = Db,
    }
}

fn main() {}
