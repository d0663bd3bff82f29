// A parameter is needed again at every restart, and goes from thread to thread with the supervisor: it is
// `Clone + Send + 'static`. A `let` must be `Clone` only if something names it.
// Repair: wrap it in an `Arc`, or make it inside the start expression.
use supervise::prelude::*;

struct Socket;
struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(socket: Socket) {
        let buffer = Socket;
        db: Db = { let _ = buffer; Db },
    }
}

fn main() {
    let _ = Shop::SPEC;
}
