// C14. A hook cannot have the name of the trait's method. If the inherent method were missing, the name would mean the
// trait's method, which would call itself forever.
// Repair: Rename the function.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
#[terminated(terminated)] //~
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
    fn terminated(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
