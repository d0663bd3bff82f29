// C8. The arguments of a spawn are kept for the restarts of what was spawned: they are `Clone + Send + 'static`, too.
// Repair: `Temporary`, which starts each instance once and moves them; or an `Arc` around them.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop {
        sessions: [Db] = |socket: Socket| { let _ = socket; Db }, //~
    }
}

fn main() {}
