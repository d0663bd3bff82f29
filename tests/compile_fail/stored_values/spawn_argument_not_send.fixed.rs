// `stored_values/spawn_argument_not_send.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        sessions: [Db] = |user: std::sync::Arc<str>| { let _ = user; Db },
    }
}
