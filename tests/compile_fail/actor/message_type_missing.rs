// C14. A derive sees the struct only, so the type of its messages is written beside it.
// Repair: `#[actor(msg = Type)]`.
use supervise::prelude::*;

#[derive(Actor)]
struct Cart; //~
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
}

fn main() {
    let _ = Cart;
}
