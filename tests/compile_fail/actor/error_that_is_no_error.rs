// C14. The error of `handle` goes to the supervisor, which turns it into a `BoxError`: the failure can be shown, and a
// decider can find its type.
// Repair: Implement `std::error::Error` for it.
use supervise::prelude::*;

struct Cart;
struct Full;
#[actor]
impl Cart {
    fn handle(&mut self, items: u32) -> Result<(), Full> { //~
        if items > 9 { Err(Full) } else { Ok(()) }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(1).await?;
    cart.stop();
    Ok(())
}
