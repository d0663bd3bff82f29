// C5. Each delay is the one before times the factor. Below 1 it would shrink under the least.
// Repair: at least 1; 1 for delays that do not grow.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(3s..30s, factor = 0.5)] //~
        db: Db = Db,
    }
}

fn main() {}
