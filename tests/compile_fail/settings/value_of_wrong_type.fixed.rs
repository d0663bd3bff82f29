// `settings/value_of_wrong_type.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(grace: std::time::Duration) {
        #[mailbox(Bounded(64), ask = grace)]
        db: Db = Db,
    }
}
