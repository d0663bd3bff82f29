// C1. The value of a setting may be any Rust expression, which sees the parameters. Its type is rustc's to check, and
// the error stands at the value.
// Repair: give it the type that is expected.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(grace: u32) {
        #[mailbox(Bounded(64), ask = grace)] //~
        db: Db = Db,
    }
}

fn main() {}
