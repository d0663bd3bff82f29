// Messages while a child is down, and the one it failed with.
// A child that waits for its backoff must not queue without bound; and to be delivered again takes an attempt, and a
// child that is restarted.
// Repair: bound the mailbox, or let the child reject what comes while it is down.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop {
        #[mailbox(Unbounded)]
        #[backoff(1s..1min)]
        db: Db = Db,
        #[mailbox(Unbounded, ask = 1s)]
        #[while_down(Hold)]
        #[backoff(1s..1min)]
        mirror: Db = Db,
        #[while_down(Drop)]
        cart: Db = Db,
        #[redeliver(attempts = 0)]
        audit: Db = Db,
        #[lifecycle(Temporary)]
        #[redeliver(attempts = 2)]
        once: Db = Db,
        #[while_down(Reject)]
        beat: task = std::future::pending::<()>(),
    }
}

fn main() {}
