// C14. The hooks of an actor are `pre_start`, `post_stop`, `pre_restart`, `post_restart`, `terminated` and
// `supervision`.
// Repair: Write the name that the message proposes.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
    #[on_start] //~
    fn open(&mut self) {}
    #[post_stopp] //~
    fn close(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
