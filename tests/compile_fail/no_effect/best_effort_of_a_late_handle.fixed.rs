// `no_effect/best_effort_of_a_late_handle.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        maybe: Option<Db> = Some(Db),
        reports: struct Reports {
            #[lifecycle(Permanent, best_effort)]
            db: Db = Db,
        },
    }
}
