// C5. While a child waits for its backoff, messages wait in its mailbox. Unbounded, that grows for as long as the
// other side is down.
// Repair: a bound, or `while_down(Reject)`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[mailbox(Unbounded)] //~
        #[backoff(1s..1min)]
        db: Db = Db,
    }
}

fn main() {}
