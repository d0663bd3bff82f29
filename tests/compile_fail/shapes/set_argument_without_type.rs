// C1. The arguments of a set's closure are those of `spawn`, and its handle type holds their types: so they are
// written, as those of a function.
// Repair: `name: Type`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: [Db] = |user| { let _ = user; Db }, //~
    }
}

fn main() {}
