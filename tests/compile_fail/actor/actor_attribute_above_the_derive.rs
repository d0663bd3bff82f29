// C14. Above the derive `#[actor(..)]` is the other macro, which stands on an `impl` block.
// Repair: the derive first.
use supervise::prelude::*;

#[actor(msg = ())] //~
#[derive(Actor)]
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
}

fn main() {}
