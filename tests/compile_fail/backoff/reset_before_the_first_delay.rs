// C5. The delay starts over when the child has been up for the reset time. Shorter than the least delay, a child that
// fails again and again would hardly ever wait longer.
// Repair: a longer time.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[backoff(10s..1min, reset = Auto(1s))] //~
        db: Db = Db,
    }
}

fn main() {}
