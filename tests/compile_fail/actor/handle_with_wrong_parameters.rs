// C14. `handle` takes `&mut self`, a message, and perhaps the context.
// Repair: such a signature; what else it needs is a field of the actor or a part of the message.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self) {} //~
}

fn main() {}
