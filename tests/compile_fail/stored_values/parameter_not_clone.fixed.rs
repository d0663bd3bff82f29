// `stored_values/parameter_not_clone.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop(socket: std::sync::Arc<Socket>) {
        db: Db = { let _ = socket; Db },
    }
}
