// C4. To deliver a message again zero times is what happens anyway.
// Repair: at least 1, or no `redeliver`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[redeliver(attempts = 0)] //~
        db: Db = Db,
    }
}

fn main() {}
