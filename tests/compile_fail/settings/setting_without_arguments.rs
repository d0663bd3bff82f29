// C1. A setting says something by its arguments. Without any it would do nothing, and look as if it did.
// Repair: write them in parentheses; the message lists them.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle] //~
        db: Db = Db,
        #[mailbox()] //~
        cart: Db = Db,
    }
}

fn main() {}
