// C1. A `[T]` is spawned through its handle, with the arguments of the closure that is its start.
// Repair: write the closure; without arguments it is `|| start`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: [Db] = Db, //~
    }
}

fn main() {}
