// `messages/guard_held_over_an_await.rs`, repaired.
use supervise::prelude::*;

struct Store(std::sync::Mutex<u32>);
#[actor]
impl Store {
    #[message]
    async fn size(&mut self) -> u32 {
        let size = *self.0.lock().unwrap();
        tokio::task::yield_now().await;
        size
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(std::sync::Mutex::new(3)) }).await?;
    println!("{}", store.size().await?);
    store.stop();
    Ok(())
}
