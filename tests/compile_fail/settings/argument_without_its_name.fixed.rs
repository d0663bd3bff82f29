// `settings/argument_without_its_name.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[redeliver(attempts = 3)]
        db: Db = Db,
    }
}
