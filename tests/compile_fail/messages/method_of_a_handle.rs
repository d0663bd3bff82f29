// C14. A handle has methods of its own, and a call of one of these would never reach the actor.
// Repair: Give the method another name.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn stop(&mut self) { //~
        self.0 = 0;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.stop();
    Ok(())
}
