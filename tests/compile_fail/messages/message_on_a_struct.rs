// C14. A message is made from a method, and needs no type of its own.
// Repair: Mark the methods.
use supervise::prelude::*;

#[message] //~
struct Put(u32);

struct Store(u32);
#[actor]
impl Store {
    fn handle(&mut self, put: Put) {
        self.0 = put.0;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.tell(Put(3)).await?;
    store.stop();
    Ok(())
}
