// C13. How many children there may be is a question for a `[..]` only: the others have as many as they declare.
// Repair: remove it.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[max_children(10)] //~
        db: Db = Db,
    }
}

fn main() {}
