// C4. With `Unlimited` restarts no limit is ever reached, so nothing happens at it and there is no window.
// Repair: remove the rest, or write a number.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = Unlimited, on_limit = Stop)] //~
        #[limit(max_restarts = Unlimited, within = 1min)] //~
        db: Db = Db,
    }
}

fn main() {}
