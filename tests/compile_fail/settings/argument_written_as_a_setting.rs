// C1. What is an argument of a setting is no setting by itself: it belongs to the others that it is read with.
// Repair: write the setting around it, as the message shows.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![max_restarts(3)] //~
        #[shutdown(5s)] //~
        db: Db = Db,
    }
}

fn main() {}
