// C8. A supervisor may run on any thread, and its parameters with it: they are `Send`.
// Repair: an `Arc` in the place of the `Rc`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(names: std::rc::Rc<str>) { //~
        db: Db = Db,
    }
}

fn main() {}
