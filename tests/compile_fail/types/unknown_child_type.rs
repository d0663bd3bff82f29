// C9. The type of a child is looked up where the tree is written, as in any struct.
// Repair: the name as it is spelled, and imported.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Dbb = Db, //~
    }
}

fn main() {}
