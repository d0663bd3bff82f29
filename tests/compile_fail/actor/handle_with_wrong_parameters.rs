// C14. `handle` takes `&mut self`, a message and, optionally, the context.
// Repair: Change the signature. Other values are fields of the actor or parts of the message.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self) {} //~
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
