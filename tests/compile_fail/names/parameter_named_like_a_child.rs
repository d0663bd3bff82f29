// C2. Parameters, `let`s and children share one list of names: an expression that names `db` must mean one thing.
// Repair: rename one of the two.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(db: u8) {
        db: Db = Db, //~
    }
}

fn main() {}
