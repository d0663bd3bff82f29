// C14. An actor has one type of messages: that of its `handle`, or the one that is made from its methods.
// Repair: Mark `handle` as well, or call it otherwise, or make each message a variant of the type that `handle` takes.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    fn handle(&mut self, n: u32) { //~
        self.0 = n;
    }
    #[message]
    fn size(&self) -> u32 {
        self.0
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{}", store.size().await?);
    store.stop();
    Ok(())
}
