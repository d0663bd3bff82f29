// C1. What governs all children stands inside the braces, as `#![..]`: above a child it would look as if it held for
// that one only.
// Repair: move it to the top of the braces, with a `!`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[strategy(AllForOne)] //~
        db: Db = Db,
    }
}

fn main() {}
