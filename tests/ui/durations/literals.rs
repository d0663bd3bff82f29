// A duration is a number with one unit: ns, us, ms, s, min, h or d.
// It is longer than zero and written in decimal.
// Repair: each message shows the literal to write.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #![strategy(OneForOne, max_restarts = 3, within = 1m30s)]
        #[lifecycle(Permanent, shutdown = 5)]
        a: Db = Db,
        #[lifecycle(Permanent, shutdown = 0s)]
        b: Db = Db,
        #[backoff(5m..10min)]
        c: Db = Db,
        #[backoff(SlottedBackoff::new(10sec))]
        d: Db = Db,
        #[mailbox(ask = -1s)]
        e: Db = Db,
    }
}

fn main() {
    let _ = Shop::SPEC;
}
