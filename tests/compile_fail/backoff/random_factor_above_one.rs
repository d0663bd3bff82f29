// C5. The random factor is the share of a delay that may be added to it, so it is between 0 and 1; 20 would be 2000
// per cent.
// Repair: `0.2` for up to a fifth more.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(3s..30s, random_factor = 20)] //~
        db: Db = Db,
        #[backoff(3s..30s, random_factor = -0.2)] //~
        cart: Db = Db,
    }
}

fn main() {}
