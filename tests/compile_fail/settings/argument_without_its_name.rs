// C1. Only required arguments have no name: the strategy, the lifecycle and the range. A number or a time without a
// name would not show its purpose.
// Repair: Write `name = value`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[redeliver(3)] //~
        db: Db = Db,
    }
}

fn main() {}
