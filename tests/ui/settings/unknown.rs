// A setting or an argument that does not exist is an error at its word, with the nearest that does.
// An ignored setting would be worse than none: the tree would not do what is written.
// Repair: take the name that the message proposes, or one from the list.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop {
        #[lifecycle(Permanent, shutdwon = 5s)]
        #[backof(1s..2s)]
        db: Db = Db,
    }
}

fn main() {}
