// C14. The derive calls an inherent `handle` with a message and the context. rustc says so where it is missing.
// Repair: write it.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
struct Cart; //~
impl Cart {
    async fn handel(&mut self, _msg: (), _cx: &mut Context<Self>) {}
}

fn main() {
    let _ = Cart;
}
