// `stored_values/parameter_not_send.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(names: std::sync::Arc<str>) {
        db: Db = Db,
    }
}
