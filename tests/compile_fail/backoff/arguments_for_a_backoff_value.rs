// C5. `MIN..MAX` takes arguments; a backoff that is given as a value has its own methods for them.
// Repair: call those.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(SlottedBackoff::new(10ms), factor = 3)] //~
        db: Db = Db,
    }
}

fn main() {}
