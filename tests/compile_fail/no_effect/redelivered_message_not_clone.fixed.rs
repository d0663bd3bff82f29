// `no_effect/redelivered_message_not_clone.rs`, repaired.
use supervise::prelude::*;

#[derive(Clone)]
struct Order;
struct Till;
#[actor]
impl Till {
    fn handle(&mut self, _order: Order) {}
}

supervisor! {
    struct Shop {
        #[redeliver(attempts = 3)]
        till: Till = Till,
    }
}
