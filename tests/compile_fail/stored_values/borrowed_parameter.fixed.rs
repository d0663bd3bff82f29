// `stored_values/borrowed_parameter.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(name: String) {
        db: Db = Db,
    }
}
