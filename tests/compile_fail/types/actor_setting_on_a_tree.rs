// C9. A tree has no messages and no hooks of its own, also where it is declared elsewhere and only its type tells that
// it is one.
// Repair: write the setting above the actor, inside of that tree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Reports {
        daily: Db = Db,
    }
    struct Shop {
        #[mailbox(Bounded(10))] //~
        #[lifecycle(Permanent, drain)] //~
        reports: Reports = Reports::tree(),
    }
}

fn main() {}
