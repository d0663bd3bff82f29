// `settings/actor_setting_on_a_subtree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        reports: struct Reports {
            #[while_down(Reject)]
            daily: Db = Db,
        },
    }
}
