// `messages/generic_method.rs`, repaired.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn put(&mut self, key: &str) {
        self.0.push(key.into());
    }
    #[message]
    fn put_all(&mut self, keys: Vec<String>) {
        self.0.extend(keys);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    store.put("a").await?;
    store.put_all(vec!["b".to_owned()]).await?;
    store.stop();
    Ok(())
}
