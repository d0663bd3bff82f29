// C1. Only what is always there has no name: the strategy, the lifecycle, the range. A number or a time alone would
// not say what it counts.
// Repair: write `name = value`.
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
