// `actor/hook_declared_twice.rs`, repaired.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
    fn save(&mut self) {}
    #[post_stop]
    fn close(&mut self) {
        self.save();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
