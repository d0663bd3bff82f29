// `settings/argument_given_twice.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(AllForOne)]
        #[lifecycle(shutdown = 9s)]
        db: Db = Db,
    }
}
