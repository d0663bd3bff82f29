// C9. The number of children of an array is a constant `usize`.
// Repair: a number; if it is known only when the tree starts, take a `[..]` with `initial`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: [Db; "four"] = |_i: usize| Db, //~
    }
}

fn main() {}
