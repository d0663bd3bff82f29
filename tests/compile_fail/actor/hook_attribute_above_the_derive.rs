// C14. The helpers of a derive stand below it. Above, the compiler takes `#[pre_start]` for the marker of an `#[actor]
// impl`.
// Repair: the derive first.
use supervise::prelude::*;

#[pre_start(open)] //~
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
