// `actor/handle_missing_of_a_derive.rs`, repaired.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
