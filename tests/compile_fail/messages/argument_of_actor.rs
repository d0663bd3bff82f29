// C14. `#[actor(..)]` has four arguments: `crate`, `derive`, `msg` and `calls`.
// Repair: Write one of these.
use supervise::prelude::*;

struct Store(u32);
#[actor(dervie(Clone))] //~
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
