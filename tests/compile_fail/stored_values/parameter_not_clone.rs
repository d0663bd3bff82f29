// C8. A parameter is needed again at every restart of the tree, so it is `Clone`, and it goes from thread to thread
// with the supervisor.
// Repair: an `Arc` around it.
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
