// C14. A hook is called by the supervisor, and a message by those who have a handle.
// Repair: Keep one of the marks, and call the method from a second one where it is needed for both.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    #[pre_start] //~
    fn clear(&mut self) {
        self.0 = 0;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.clear().await?;
    store.stop();
    Ok(())
}
