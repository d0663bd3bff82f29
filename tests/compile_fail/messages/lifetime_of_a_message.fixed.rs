// `messages/lifetime_of_a_message.rs`, repaired.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn put(&mut self, key: &str) {
        self.0.push(key.to_owned());
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    store.put("a").await?;
    store.stop();
    Ok(())
}
