// C2. The expressions of an inline subtree see the names around it, so its children cannot take one of those. Two
// subtrees side by side may use the same names.
// Repair: rename one.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
        reports: struct Reports {
            db: Db = Db, //~
        },
    }
}

fn main() {}
