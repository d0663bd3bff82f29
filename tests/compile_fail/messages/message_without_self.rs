// C14. A message is handled by the actor, which stays for the next one.
// Repair: Write `&mut self` or `&self`. A method that makes an actor, or takes it, has no mark.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self) -> u32 {
        self.0
    }
    #[message]
    fn new() -> Store { //~
        Store(0)
    }
    #[message]
    fn into_size(self) -> u32 { //~
        self.0
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store::new() }).await?;
    println!("{}", store.size().await?);
    println!("{}", Store::new().into_size());
    store.stop();
    Ok(())
}
