// C4. An actor or a tree is up when its start is through. Only a task says itself when it is ready.
// Repair: remove it; what has to be awaited belongs into the start expression.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, ready)] //~
        db: Db = Db,
    }
}

fn main() {}
