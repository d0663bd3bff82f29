// C11. A hook is one of the child's own type.
// Repair: a function for that type, or a generic one.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Cart;

supervisor! {
    struct Shop {
        #[pre_restart(note)] //~
        db: Db = Db,
    }
}

fn note(_cart: &mut Cart) {}

fn main() {}
