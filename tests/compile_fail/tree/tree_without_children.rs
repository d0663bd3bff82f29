// C1. A supervisor without a child would have nothing to do, and never an end.
// Repair: declare a child, if only a `task`, or a `[..]`, which may be empty while it runs.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Empty {} //~
}

fn main() {}
