// C14. A derive sees only the struct, so the message type has to be written next to the derive.
// Repair: Write `#[actor(msg = Type)]`.
use supervise::prelude::*;

#[derive(Actor)]
struct Cart; //~
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
