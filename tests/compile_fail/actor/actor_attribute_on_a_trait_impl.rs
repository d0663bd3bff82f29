// C14. `#[actor]` implements the trait from an inherent `impl`. An `impl Actor` that you write yourself needs no macro.
// Repair: Remove one of the two.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Actor for Cart { //~
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
