// `messages/redelivery_without_clone.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor(derive(Clone))]
impl Store {
    #[message]
    fn put(&mut self, n: u32) {
        self.0 = n;
    }
}

supervisor! {
    struct Shop {
        #[redeliver(attempts = 3)]
        store: Store = Store(0),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.store.put(3).await?;
    shop.shutdown().await;
    Ok(())
}
