// C1. Who comes from Erlang writes `one_for_one`, `intensity` and `period`. The messages say what these are called
// here.
// Repair: `OneForOne`, `max_restarts`, `within`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(one_for_one, intensity = 3, period = 5s)] //~ //~ //~
        db: Db = Db,
    }
}

fn main() {}
