// C11. A restart hook in a tree is the path of a function, called in the place of the type's own. rustc looks it up.
// Repair: write the function, or correct its name.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[pre_restart(Db::dump)] //~
        db: Db = Db,
    }
}

impl Db {
    fn dmup(&mut self) {}
}

fn main() {}
