// C14. A mark is `#[message]`, once above a method.
// Repair: Write the word of the message, and one mark.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[mesage] //~
    fn size(&self) -> u32 {
        self.0
    }
    #[message]
    #[message] //~
    fn put(&mut self, n: u32) {
        self.0 = n;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.put(3).await?;
    println!("{}", store.size().await?);
    store.stop();
    Ok(())
}
