// `messages/message_and_hook.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn clear(&mut self) {
        self.0 = 0;
    }
    #[pre_start]
    fn begin(&mut self) {
        self.clear();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.clear().await?;
    store.stop();
    Ok(())
}
