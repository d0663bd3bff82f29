// `actor/actor_attribute_on_a_trait_impl.rs`, repaired.
use supervise::prelude::*;

struct Cart;
impl Actor for Cart {
    type Msg = ();
    type Error = std::convert::Infallible;
    async fn receive(&mut self, _msg: (), _cx: &mut Context<Self>) -> Result<(), Self::Error> {
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
