// `actor/handle_returns_a_value.rs`, repaired.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, reply: Reply<u32>) {
        reply.send(5);
    }
}
