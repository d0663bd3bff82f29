// C1. A `let` is only visible to the expressions below it, and is not a field of the handle. If outside code needs the
// value, pass the value to the tree as a parameter.
// Repair: Remove `pub`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        pub let size = 3; //~
        row: [Db; 2] = |_i: usize| { let _ = size; Db },
    }
}

fn main() {}
