// C1. A setting that does not exist is an error at its word, with the nearest one that does. An ignored setting would
// be worse than none: the tree would not do what is written.
// Repair: take the name that the message proposes.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backof(1s..2s)] //~
        db: Db = Db,
    }
}

fn main() {}
