// C14. An actor may outlive the function that starts it, so it cannot borrow.
// Repair: Write owned types.
use supervise::prelude::*;

struct Cart<'a>(&'a str);
#[actor]
impl<'a> Cart<'a> { //~
    fn handle(&mut self, _msg: ()) {
        println!("{}", self.0);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart("ann") }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
