// C1. The start of one child is an expression that gives the child. It is evaluated anew for each start without being
// a closure.
// Repair: remove `|..|`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = || Db, //~
    }
}

fn main() {}
