// `messages/argument_not_send.rs`, repaired.
use supervise::prelude::*;

use std::sync::Arc;
struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn put(&mut self, n: Arc<u32>) {
        self.0 = *n;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.put(3.into()).await?;
    store.stop();
    Ok(())
}
