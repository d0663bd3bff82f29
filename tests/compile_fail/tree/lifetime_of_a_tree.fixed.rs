// `tree/lifetime_of_a_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(name: String) {
        db: Db = { let _ = name; Db },
    }
}
