// `actor/hook_method_missing.rs`, repaired.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
#[pre_start(open)]
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
    fn open(&mut self) {}
}
