// A message that is delivered again is kept as a copy beside the one in hand, so it must be `Clone`; a `Reply` in it
// can be cloned.
// Repair: derive `Clone` for the message, or remove `redeliver`.
use supervise::prelude::*;

struct Order {
    _reply: Reply<u32>,
}

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _order: Order) {}
}

supervisor! {
    pub struct Shop {
        #[redeliver(attempts = 3)]
        db: Db = Db,
    }
}

fn main() {}
