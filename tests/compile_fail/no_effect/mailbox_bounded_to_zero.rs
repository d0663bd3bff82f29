// C4. A mailbox with room for nothing could never take a message: every `tell` would wait for ever.
// Repair: `Bounded(1)` or more.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[mailbox(Bounded(0))] //~
        db: Db = Db,
    }
}

fn main() {}
