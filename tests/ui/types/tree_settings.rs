// A subtree declared elsewhere has no mailbox: what is about messages is for actors.
// Repair: write the setting above the actor, inside the subtree.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Reports {
        daily: Db = Db,
    }

    pub struct Shop {
        #[lifecycle(drain)]
        reports: Reports = Reports::tree(),
    }
}

fn main() {}
