// C14. An async method with `&self` lends the actor over its awaits, and the lender may be on another thread.
// Repair: Write `&mut self`, or keep the state in a type that is `Sync`.
use supervise::prelude::*;

struct Store(std::cell::Cell<u32>);
#[actor]
impl Store {
    #[message]
    async fn size(&self) -> u32 { //~
        self.0.get()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(3.into()) }).await?;
    println!("{}", store.size().await?);
    store.stop();
    Ok(())
}
