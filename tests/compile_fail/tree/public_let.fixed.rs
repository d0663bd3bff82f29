// `tree/public_let.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let size = 3;
        row: [Db; 2] = |_i: usize| { let _ = size; Db },
    }
}
