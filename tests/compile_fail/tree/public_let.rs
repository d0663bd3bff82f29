// C1. A `let` is for the expressions below it; the handle has no field for it. Whoever needs the value outside passes
// it in as a parameter.
// Repair: remove `pub`.
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
