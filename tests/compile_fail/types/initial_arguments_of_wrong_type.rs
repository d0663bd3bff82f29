// C9. What a set holds from the beginning is spawned like the rest: the items are the arguments.
// Repair: items of that type; of tuples if there are several arguments.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[initial(["one", "two"])] //~
        sessions: [Db] = |user: u64| { let _ = user; Db },
    }
}

fn main() {}
