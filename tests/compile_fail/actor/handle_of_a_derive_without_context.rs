// C14. A derive does not see `handle`, so it has one form: `async`, with the message and the context.
// Repair: Write that form, or `#[actor]` above the `impl` block, where both are optional.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
struct Cart; //~
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
