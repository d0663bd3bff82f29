// C8. Every restart of the tree needs the parameters again, so they are `Clone`. They move between threads together
// with the supervisor.
// Repair: Put an `Arc` around the value.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop(socket: Socket) { //~
        db: Db = { let _ = socket; Db },
    }
}

fn main() {}
