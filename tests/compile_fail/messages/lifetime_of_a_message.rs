// C14. A message may be handled after its sender is gone, so no lifetime of the sender holds for it.
// Repair: Leave the lifetime out.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn put<'a>(&mut self, key: &'a str) { //~
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
