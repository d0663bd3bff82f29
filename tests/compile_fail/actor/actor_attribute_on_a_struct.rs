// C14. `#[actor]` reads the methods of an `impl` block, and a struct has no methods.
// Repair: Write `#[derive(Actor)]`, or put `#[actor]` above the `impl`.
use supervise::prelude::*;

#[actor] //~
struct Cart {
    _items: Vec<String>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart { _items: Vec::new() } }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
