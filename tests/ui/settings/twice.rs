// A setting is given once, and so is each of its arguments: of two values one would be lost.
// Repair: keep the one that is meant.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop {
        #![strategy(OneForOne, AllForOne)]
        #[lifecycle(Permanent)]
        #[lifecycle(Transient)]
        db: Db = Db,
    }
}

fn main() {}
