// C14. The helper attributes of a derive come after the derive. Before it, the compiler takes `#[pre_start]` for the
// marker inside an `#[actor] impl`.
// Repair: Write the derive first.
use supervise::prelude::*;

#[pre_start(open)] //~
#[derive(Actor)]
#[actor(msg = ())]
struct Cart;
impl Cart {
    async fn handle(&mut self, _msg: (), _cx: &mut Context<Self>) {}
    fn open(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
