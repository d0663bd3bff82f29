// C1. Every child has a start expression: it is evaluated for each start, so it says how a failed child comes back.
// The field of the handle is there meanwhile, so nothing else lights up.
// Repair: write `= start`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db, //~
    }
}

fn uses(shop: &Shop) -> &ActorRef<Db> {
    &shop.db
}

fn main() {}
