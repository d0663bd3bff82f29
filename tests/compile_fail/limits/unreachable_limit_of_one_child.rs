// C6. A child's own limit is looked at with its own backoff; the error stands at the limit. What is not a literal is
// checked when the tree starts.
// Repair: a longer window, or fewer restarts.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[limit(max_restarts = 5, within = 10s)] //~
        #[backoff(5s..5s)]
        db: Db = Db,
    }
}

fn main() {}
