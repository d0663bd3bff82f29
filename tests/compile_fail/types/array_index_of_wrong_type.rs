// C9. The index of an array's child is a `usize`.
// Repair: write that type, and convert inside of the closure.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        shards: [Db; 4] = |i: u32| { let _ = i; Db }, //~
    }
}

fn main() {}
