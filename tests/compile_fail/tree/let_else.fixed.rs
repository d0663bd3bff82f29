// `tree/let_else.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let size = Some(3).ok_or("no size")?;
        row: [Db; 2] = |_i: usize| { let _ = size; Db },
    }
}
