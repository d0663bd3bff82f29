// C13. For redelivery the actor keeps a copy of each message while it handles the message, so the message is `Clone`. A
// `Reply` in a message is `Clone`, too.
// Repair: Derive `Clone`.
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
