// C14. `msg` and `calls` name a type and a trait that are made, and a name in Rust is no text.
// Repair: Remove the quotes.
use supervise::prelude::*;

struct Store(u32);
#[actor(msg = "Command")] //~
impl Store {
    #[message]
    fn put(&mut self, n: u32) {
        self.0 = n;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.put(3).await?;
    store.stop();
    Ok(())
}
