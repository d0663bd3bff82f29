// `messages/message_without_self.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self) -> u32 {
        self.0
    }
    fn new() -> Store {
        Store(0)
    }
    fn into_size(self) -> u32 {
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
