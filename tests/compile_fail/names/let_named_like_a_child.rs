// C2. A `let` and a child are named alike by what stands below them, so they cannot share a name, whichever comes
// first.
// Repair: rename one of the two.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let db = 5;
        db: Db = { let _ = db; Db }, //~
    }
}

fn main() {}
