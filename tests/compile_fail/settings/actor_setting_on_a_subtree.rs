// C1. An inline subtree is a supervisor: messages go to the actors inside of it.
// Repair: write the setting above the actor that it is about.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[while_down(Reject)] //~
        reports: struct Reports {
            daily: Db = Db,
        },
    }
}

fn main() {}
