// C4. A set that may hold no child refuses every spawn.
// Repair: at least 1, or no set.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(0)] //~
        sessions: [Db] = || Db,
    }
}

fn main() {}
