// `actor/error_that_is_no_error.rs`, repaired.
use supervise::prelude::*;

struct Cart;
#[derive(Debug)]
struct Full;
#[actor]
impl Cart {
    fn handle(&mut self, items: u32) -> Result<(), Full> {
        if items > 9 { Err(Full) } else { Ok(()) }
    }
}

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the cart is full")
    }
}

impl std::error::Error for Full {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(1).await?;
    cart.stop();
    Ok(())
}
