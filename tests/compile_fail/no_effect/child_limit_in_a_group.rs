// C13. Under a group strategy one budget counts the restarts of all, since each takes the others along.
// Repair: write it into `strategy`, or take `OneForOne`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(RestForOne)]
        #[limit(max_restarts = 3)] //~
        db: Db = Db,
    }
}

fn main() {}
