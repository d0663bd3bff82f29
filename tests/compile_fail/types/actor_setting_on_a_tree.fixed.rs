// `types/actor_setting_on_a_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Reports {
        #[mailbox(Bounded(10))]
        #[lifecycle(Permanent, drain)]
        daily: Db = Db,
    }
    struct Shop {
        reports: Reports = Reports::tree(),
    }
}
