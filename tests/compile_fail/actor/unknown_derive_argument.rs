// C14. The derive takes two arguments: `msg`, and `error` if `handle` can fail.
// Repair: Use the name that the message proposes.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = (), eror = String)] //~
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
