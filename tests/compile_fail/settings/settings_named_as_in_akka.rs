// C1. Who comes from Akka or writes supervisors by hand looks for a restart strategy, and for what happens when it is
// exceeded. The messages say what these are called here.
// Repair: `strategy`, `on_limit`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![restart_strategy(OneForOne)] //~
        #[limit(max_restarts = 3, on_exceeded = Stop)] //~
        db: Db = Db,
    }
}

fn main() {}
