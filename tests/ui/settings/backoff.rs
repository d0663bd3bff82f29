// A backoff paces restarts and a limit counts them, so they must fit: a limit that the waits make unreachable
// would never stop anything. The range, the jitter and the reset are checked as well.
// Repair: allow more time or fewer restarts; the message names the least time that the failures take.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop {
        #![strategy(OneForOne, max_restarts = 10, within = 1min)]
        #[backoff(3s..30s)]
        slow: Db = Db,
        #[backoff(100ms..1s)]
        quick: Db = Db,
        #[backoff(5s..1s)]
        empty: Db = Db,
        #[backoff(1s..10s, random_factor = 20)]
        noisy: Db = Db,
        #[backoff(10s..20s, reset = Auto(1s))]
        flat: Db = Db,
        #[backoff(1s)]
        single: Db = Db,
    }
}

fn main() {
    let _ = Shop::SPEC;
}
