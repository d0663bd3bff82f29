// C14. The name of a message is the one in events, and the one that crosses to other processes.
// Repair: Give one of them another name.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn put(&mut self, n: u32) {
        self.0 = n;
    }
    #[message(name = "put")] //~
    fn replace(&mut self, n: u32) {
        self.0 = n;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.put(3).await?;
    store.replace(3).await?;
    store.stop();
    Ok(())
}
