// C1. A number is written as one, a time as one, and not as a text that holds it.
// Repair: remove the quotes.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = "3", within = "1min")] //~ //~
        db: Db = Db,
    }
}

fn main() {}
