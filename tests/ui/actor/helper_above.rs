// The helpers of a derive stand below it: above, the compiler takes them for the markers of an `#[actor] impl`.
// Repair: write `#[derive(Actor)]` first.
use supervise::prelude::*;

#[pre_start(open)]
#[derive(Actor)]
#[actor(msg = ())]
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
    fn open(&mut self) {}
}

fn main() {
    let _ = Cart;
}
