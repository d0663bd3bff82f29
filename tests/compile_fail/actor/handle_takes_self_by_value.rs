// C14. An actor lives on after a message, so `handle` borrows it.
// Repair: Write `&mut self`.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    async fn handle(self, _msg: ()) {} //~
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
