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

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
