// C2. `_` names nothing: the child would have no handle and no path.
// Repair: give it a name; that nobody uses it is no warning.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        _: Db = Db, //~
    }
}

fn main() {}
