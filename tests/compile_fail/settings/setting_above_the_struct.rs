// C1. Above the `struct` stand its documentation and `#[cfg(..)]`. What governs the children is inside of the braces
// with them.
// Repair: move it there, with a `!`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    #[strategy(AllForOne)] //~
    struct Shop {
        db: Db = Db,
    }
}

fn main() {}
