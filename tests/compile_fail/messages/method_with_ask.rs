// C14. A method is called on the handle, and its call waits for the answer. `ask` is for a type of messages of your
// own, with a `Reply` in it.
// Repair: Call the method.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self) -> u32 {
        self.0
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    let size: u32 = store.ask(StoreMsg::size).await?; //~
    println!("{size}");
    store.stop();
    Ok(())
}
