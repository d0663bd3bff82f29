// C5. A backoff has a least and a greatest delay.
// Repair: write both; the same twice for one that does not grow.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(3s)] //~
        db: Db = Db,
        #[backoff(3s..)] //~
        cart: Db = Db,
    }
}

fn main() {}
