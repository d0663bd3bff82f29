// C13. A message that is delivered again is kept as a copy beside the one in hand, so it is `Clone`; a `Reply` in it
// can be cloned.
// Repair: derive it.
use supervise::prelude::*;

struct Order;
struct Till;
#[actor]
impl Till {
    fn handle(&mut self, _order: Order) {}
}

supervisor! {
    struct Shop {
        #[redeliver(attempts = 3)] //~
        till: Till = Till,
    }
}

fn main() {}
