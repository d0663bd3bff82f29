// C5. The greatest delay is a part of the range anyway.
// Repair: `..`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(3s..=30s)] //~
        db: Db = Db,
    }
}

fn main() {}
