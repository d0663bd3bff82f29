// C14. A derive has two types to be told: `msg`, and `error` if `handle` may fail.
// Repair: the name that the message proposes.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = (), eror = String)] //~
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
}

fn main() {
    let _ = Cart;
}
