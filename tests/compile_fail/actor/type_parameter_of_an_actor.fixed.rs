// `actor/type_parameter_of_an_actor.rs`, repaired.
use supervise::prelude::*;

struct Cart<T>(T);
#[actor]
impl<T: Send + 'static> Cart<T> {
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
