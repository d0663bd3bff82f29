// C4. An array of no children is no child, and its start would never run.
// Repair: at least 1; what may be missing is an `Option`, what comes later a `[..]`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: [Db; 0] = |_i: usize| Db, //~
    }
}

fn main() {}
