// `actor/handle_missing.rs`, repaired.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
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
