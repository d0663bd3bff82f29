// C4. An instance of a set never concerns the first start of the tree.
// Repair: Remove `best_effort`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Transient, best_effort)] //~
        many: [Db] = || Db,
    }
}

fn main() {}
