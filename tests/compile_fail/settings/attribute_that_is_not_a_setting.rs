// C1. A child is no item: there is nothing to derive for it or to allow, and an attribute that is passed on to nowhere
// would be lost.
// Repair: remove it; lints are allowed above the macro.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[allow(unused)] //~
        db: Db = Db,
        #[derive(Clone)] //~
        cart: Db = Db,
    }
}

fn main() {}
