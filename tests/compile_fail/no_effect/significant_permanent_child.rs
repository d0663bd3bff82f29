// C4. The supervisor ends when a significant child has ended by itself. A `Permanent` one never does: it is started
// again.
// Repair: `Transient` or `Temporary`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, significant)] //~
        db: Db = Db,
    }
}

fn main() {}
