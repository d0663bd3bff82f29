// `actor/hook_marker_without_actor.rs`, repaired.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
    #[pre_restart]
    fn flush(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
