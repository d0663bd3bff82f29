// C14. `#[actor(..)]` above the derive is the attribute macro for `impl` blocks, not the helper of the derive.
// Repair: Write the derive first.
use supervise::prelude::*;

#[actor(msg = ())] //~
#[derive(Actor)]
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
