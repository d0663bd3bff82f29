// C14. A message may have another name than its method, and nothing else.
// Repair: Write `name = ".."` with the name of a function.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message(rename = "put")] //~
    fn insert(&mut self, n: u32) {
        self.0 = n;
    }
    #[message(name = "the size")] //~
    fn size(&self) -> u32 {
        self.0
    }
    #[message("drop")] //~
    fn clear(&mut self) {}
    #[message = "tock"] //~
    fn tick(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.insert(3).await?;
    store.clear().await?;
    store.tick().await?;
    println!("{}", store.size().await?);
    store.stop();
    Ok(())
}
