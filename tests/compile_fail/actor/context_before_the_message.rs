// C14. `handle` takes the actor, the message and the context, in this order.
// Repair: Write the message first.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, _cx: &mut Context<Self>, _msg: ()) {} //~
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
