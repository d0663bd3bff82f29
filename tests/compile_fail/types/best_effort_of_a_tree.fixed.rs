// `types/best_effort_of_a_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Reports {
        #[lifecycle(Permanent, best_effort)]
        db: Db = Db,
    }

    struct Shop {
        reports: Reports = Reports::tree(),
    }
}
