// `actor/hook_of_another_system.rs`, repaired.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
    #[pre_start]
    fn open(&mut self) {}
    #[post_stop]
    fn close(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
