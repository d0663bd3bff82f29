// C14. Each hook is one function, because the order of two functions would be a guess. The message shows both places.
// Repair: Keep one function, and let it call the other.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
    #[post_stop]
    fn save(&mut self) {}
    #[post_stop] //~
    fn close(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
