// C14. A message is a value of one type, and a handle could not know which of the types it is sent to.
// Repair: Write the type, or put the parameter on the `impl`. A `&str` takes everything that becomes a `String`.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn put<K: Into<String>>(&mut self, key: K) { //~
        self.0.push(key.into());
    }
    #[message]
    fn put_all<const N: usize>(&mut self, keys: [String; N]) { //~
        self.0.extend(keys);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    store.put("a").await?;
    store.put_all(["b".to_owned()]).await?;
    store.stop();
    Ok(())
}
