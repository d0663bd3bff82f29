// C2. A tree cannot be its own child, because the recursion would not end. A set of the tree's own type is possible,
// since a `[..]` begins empty.
// Repair: Write `[Dir]`, and spawn through the handle.
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
