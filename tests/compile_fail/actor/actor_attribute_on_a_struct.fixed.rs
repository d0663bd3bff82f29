// `actor/actor_attribute_on_a_struct.rs`, repaired.
use supervise::prelude::*;

struct Cart {
    _items: Vec<String>,
}
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart { _items: Vec::new() } }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
