// C2. A tree cannot be its own child: it would have no end. It may hold any number of itself, since a `[..]` begins
// empty.
// Repair: `[Dir]`, spawned through the handle.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Dir {
        sub: Dir = Dir::tree(), //~
        db: Db = Db,
    }
}

fn main() {}
