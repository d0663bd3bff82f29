// C14. The future of a message may move to another thread at each `.await`, and a guard of `std::sync::Mutex` may not.
// Repair: Drop the guard before the `.await`.
use supervise::prelude::*;

struct Cart(std::sync::Mutex<u32>);
#[actor]
impl Cart {
    async fn handle(&mut self, _msg: ()) { //~
        let total = self.0.lock().unwrap();
        tokio::task::yield_now().await;
        println!("{total}");
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = spawn(child! { "cart": Cart = Cart(std::sync::Mutex::new(0)) }).await?;
    cart.tell(()).await?;
    cart.stop();
    Ok(())
}
