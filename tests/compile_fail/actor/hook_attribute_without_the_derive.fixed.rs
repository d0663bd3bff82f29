// `actor/hook_attribute_without_the_derive.rs`, repaired.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
#[pre_start(open)]
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
    fn open(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
