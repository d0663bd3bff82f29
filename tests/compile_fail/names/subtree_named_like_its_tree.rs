// C2. An inline subtree is a struct beside that of its tree, so it has a name of its own.
// Repair: another name for one of them.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        inner: struct Shop { //~
            db: Db = Db,
        },
    }
}

fn main() {}
