// C8. The supervisor keeps the value of a `let` at its place and drops it in its turn, on whichever thread it runs.
// Repair: a type that is `Send`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let names = std::rc::Rc::new(5); //~
        db: Db = Db,
    }
}

fn main() {}
