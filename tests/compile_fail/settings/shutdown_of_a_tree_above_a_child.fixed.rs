// `settings/shutdown_of_a_tree_above_a_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(shutdown = 5s)]
        db: Db = Db,
    }
}
