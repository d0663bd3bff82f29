// `messages/method_with_ask.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self) -> u32 {
        self.0
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    let size: u32 = store.size().await?;
    println!("{size}");
    store.stop();
    Ok(())
}
