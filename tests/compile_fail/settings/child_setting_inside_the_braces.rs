// C1. A setting of one child stands above the child, as `#[..]`; inside the braces it would seem to apply to all.
// Repair: Write the setting above each child that it is for.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![backoff(1s..2s)] //~
        db: Db = Db,
    }
}

fn main() {}
