// C12. The same holds for a tree that is declared elsewhere, in another crate, too: its `SPEC` says how long it may
// take.
// Repair: the time that the message names.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Ingest {
        queue: Db = Db,
        store: Db = Db,
    }
    struct Shop {
        #[lifecycle(Permanent, shutdown = 6s)] //~
        ingest: Ingest = Ingest::tree(),
    }
}

fn main() {}
