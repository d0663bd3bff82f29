// `messages/private_message_elsewhere.rs`, repaired.
use supervise::prelude::*;

mod store {
    use supervise::prelude::*;

    pub(crate) struct Store(pub(crate) u32);
    #[actor]
    impl Store {
        #[message]
        pub(crate) fn put(&mut self, n: u32) {
            self.0 = n;
        }
    }
}
use store::{Store, StoreCalls};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.put(3).await?;
    store.stop();
    Ok(())
}
