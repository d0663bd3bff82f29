// C12. An array of four counts four times, since its members stop one after the other, and a `[..]` once, since its
// instances stop together.
// Repair: the time that the message names.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 10s)] //~
        shards: struct Shards {
            row: [Db; 4] = |_i: usize| Db,
            any: [Db] = || Db,
        },
    }
}

fn main() {}
