// C14. `handle` returns nothing or a `Result<(), E>`. An answer goes through the `Reply` in the message, and an error
// is a failure.
// Repair: Return one of the two.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, _msg: Reply<u32>) -> u32 { //~
        5
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.ask(|reply| reply).await?;
    cart.stop();
    Ok(())
}
