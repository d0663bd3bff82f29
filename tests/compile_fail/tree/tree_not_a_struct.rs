// C1. A tree is declared as a `struct`, since that is what its handle is.
// Repair: write `struct`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    enum Shop { //~
        db: Db = Db,
    }
}

fn main() {}
