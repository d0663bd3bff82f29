// C1. A child names its type, since its handle is a field of the tree's handle, and the type of a field is written. A
// value for others to use is a `let`.
// Repair: write the type, or `let`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db = Db, //~
    }
}

fn main() {}
