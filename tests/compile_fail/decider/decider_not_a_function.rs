// C10. Besides arms a decider is a function or closure from a failure to a directive. rustc says what it found
// instead.
// Repair: `Fn(&Failure) -> Directive`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[decider(strict)] //~
        db: Db = Db,
    }
}

fn strict(_failure: &Failure) {}

fn main() {}
