// `settings/actor_setting_on_a_task.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        beat: task = std::future::pending::<()>(),
    }
}
