// `backoff/backoff_with_unbounded_mailbox.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[mailbox(Unbounded)]
        #[while_down(Reject)]
        #[backoff(1s..1min)]
        db: Db = Db,
    }
}
