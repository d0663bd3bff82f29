// C1. An `Option<T>` starts from an `Option`: the expression decides whether the child exists.
// Repair: Write `Some(..)`, `None`, or an `if` that evaluates to one of them.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(on: bool) {
        audit: Option<Db> = || Some(Db), //~
    }
}

fn main() {}
