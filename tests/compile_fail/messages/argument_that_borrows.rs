// C14. A message may be handled after its sender is gone, so it owns its arguments. A reference alone is given as the
// owned value, but not one inside another type.
// Repair: Write an owned type inside.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn put(&mut self, key: Option<&str>) { //~
        self.0.extend(key.map(str::to_owned));
    }
    #[message]
    fn put_all(&mut self, keys: &[&str]) { //~
        self.0.extend(keys.iter().map(|key| (*key).to_owned()));
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    store.put(None).await?;
    store.put_all(&[]).await?;
    store.stop();
    Ok(())
}
