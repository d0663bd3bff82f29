// C14. A hook that is named above the struct is an inherent method, sync or async.
// Repair: Write the method, or correct the name.
use supervise::prelude::*;

#[derive(Actor)]
#[actor(msg = ())]
#[pre_start(open)] //~
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
