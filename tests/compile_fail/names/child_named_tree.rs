// C2. Inside of a tree `tree` is its own `TreeRef`, for a status page or a child that stops the whole.
// Repair: another name.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        tree: Db = Db, //~
    }
}

fn main() {}
