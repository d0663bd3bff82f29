// `actor/hook_named_like_a_trait_method.rs`, repaired.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
#[terminated(lost)]
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
    fn lost(&mut self) {}
}
