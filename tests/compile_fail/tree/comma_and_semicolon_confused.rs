// C1. A child ends with `,` like a field, a `let` with `;` like a statement. Mixed up they would hide where an entry
// ends.
// Repair: the message names the right one.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        let size = 3, //~
        db: Db = Db; //~
        log: Db = Db
        row: [Db; 2] = |_i: usize| { let _ = size; Db }, //~
    }
}

fn main() {}
