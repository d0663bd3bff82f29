// `shutdown/shutdown_too_short_for_an_array.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 25s)]
        shards: struct Shards {
            row: [Db; 4] = |_i: usize| Db,
            any: [Db] = || Db,
        },
    }
}
