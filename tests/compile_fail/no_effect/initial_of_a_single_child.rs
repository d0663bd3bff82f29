// C13. A `[..]` begins empty or with its `initial` children; any other child is there from the beginning.
// Repair: remove it.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[initial([1, 2])] //~
        row: [Db; 2] = |_i: usize| Db,
    }
}

fn main() {}
