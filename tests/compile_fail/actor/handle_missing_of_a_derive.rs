// C14. The derive calls an inherent `handle` with a message and the context. rustc reports the missing method.
// Repair: Write the method.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
struct Cart; //~
impl Cart {
    async fn handel(&mut self, _msg: (), _cx: &mut Context<Self>) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
