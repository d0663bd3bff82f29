// C14. The hooks of a struct are arguments of its derive.
// Repair: Write the derive above.
use supervise::prelude::*;

#[pre_start(open)] //~
struct Cart;
impl Actor for Cart {
    type Msg = ();
    type Error = std::convert::Infallible;
    async fn receive(&mut self, _msg: (), _cx: &mut Context<Self>) -> Result<(), Self::Error> {
        Ok(())
    }
}
impl Cart {
    pub fn open(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
