// `shapes/closure_for_an_optional_child.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(on: bool) {
        audit: Option<Db> = on.then_some(Db),
    }
}
