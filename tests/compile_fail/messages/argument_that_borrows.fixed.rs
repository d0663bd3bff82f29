// `messages/argument_that_borrows.rs`, repaired.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn put(&mut self, key: Option<String>) {
        self.0.extend(key);
    }
    #[message]
    fn put_all(&mut self, keys: &[String]) {
        self.0.extend_from_slice(keys);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    store.put(None).await?;
    store.put_all([]).await?;
    store.stop();
    Ok(())
}
