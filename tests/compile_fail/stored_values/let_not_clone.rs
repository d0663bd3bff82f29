// C8. A `let` that a child names is cloned for each of its starts. One that nobody names need not be `Clone`.
// Repair: an `Arc` around it, or make it inside the start expression.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop {
        let socket = Socket;
        db: Db = { let _ = socket; Db }, //~
    }
}

fn main() {}
