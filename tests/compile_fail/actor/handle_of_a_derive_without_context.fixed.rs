// `actor/handle_of_a_derive_without_context.rs`, repaired.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    async fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
