// `actor/handle_returns_a_value.rs`, repaired.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, reply: Reply<u32>) {
        reply.send(5);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.ask(|reply| reply).await?;
    cart.stop();
    Ok(())
}
