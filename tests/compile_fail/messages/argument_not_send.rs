// C14. A message crosses from the thread of its sender to that of the actor.
// Repair: Write a type that is `Send`: `Arc` for `Rc`.
use supervise::prelude::*;

use std::rc::Rc;
struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn put(&mut self, n: Rc<u32>) { //~
        self.0 = *n;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.put(3.into()).await?;
    store.stop();
    Ok(())
}
