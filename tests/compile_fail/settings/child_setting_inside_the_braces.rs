// C1. What governs one child stands above it, as `#[..]`: inside the braces it would look as if it held for all.
// Repair: write it above each child that it is meant for.
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
