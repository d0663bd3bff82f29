// `settings/unknown_setting.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        /// The red one.
        db: Db = Db,
    }
}
