// `messages/message_without_actor.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self) -> u32 {
        self.0
    }
    #[message]
    fn put(&mut self, n: u32) {
        self.0 = n;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{}", store.size().await?);
    store.stop();
    Ok(())
}
