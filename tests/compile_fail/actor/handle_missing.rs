// C14. An actor has one inherent `handle`, because `#[actor]` takes the message type and the error type from it. Code
// that uses the actor causes no further errors.
// Repair: Write the method, or correct its name.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart { //~
    fn handel(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        cart: Cart = Cart,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.cart.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
