// C2. The expansion has names of its own, which begin with two underscores; a child of such a name could meet one.
// Repair: another name.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        __tree: Db = Db, //~
    }
}

fn main() {}
