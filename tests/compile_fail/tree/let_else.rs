// C1. A `let` among the children always binds: there is no tree to return from. A failure is said with `?`, which
// makes the start of the tree fail.
// Repair: a pattern that always matches.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let Some(size) = Some(3) else { return }; //~
        row: [Db; 2] = |_i: usize| { let _ = size; Db },
    }
}

fn main() {}
