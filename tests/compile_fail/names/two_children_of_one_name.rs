// C2. Two children of one name would be one field of the handle, and one path in every event. Both places are shown.
// (Under `#[cfg]` both may have it: one of them exists.)
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
        db: Db = Db, //~
    }
}

fn main() {}
