// C14. An actor may run on any thread, for any time, so everything that it consists of has to be `Send + 'static`.
// Repair: Write the bounds.
use supervise::prelude::*;

struct Cart<T>(T);
#[actor]
impl<T> Cart<T> { //~
    async fn handle(&mut self, item: T) {
        self.0 = item;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart<u32> = Cart(3) }).await?;
    cart.tell(5).await?;
    cart.stop();
    Ok(())
}
