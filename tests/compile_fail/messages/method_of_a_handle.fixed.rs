// `messages/method_of_a_handle.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn stop_now(&mut self) {
        self.0 = 0;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.stop_now().await?;
    store.stop();
    Ok(())
}
