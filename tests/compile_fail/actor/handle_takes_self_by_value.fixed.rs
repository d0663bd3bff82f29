// `actor/handle_takes_self_by_value.rs`, repaired.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    async fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
