// `actor/lifetime_of_an_actor.rs`, repaired.
use supervise::prelude::*;

struct Cart(String);
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {
        println!("{}", self.0);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart("ann".to_owned()) }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
