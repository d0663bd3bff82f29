// `messages/shared_self_over_an_await.rs`, repaired.
use supervise::prelude::*;

struct Store(std::cell::Cell<u32>);
#[actor]
impl Store {
    #[message]
    async fn size(&mut self) -> u32 {
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
