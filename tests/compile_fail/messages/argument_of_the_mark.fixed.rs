// `messages/argument_of_the_mark.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message(name = "put")]
    fn insert(&mut self, n: u32) {
        self.0 = n;
    }
    #[message(name = "the_size")]
    fn size(&self) -> u32 {
        self.0
    }
    #[message(name = "drop")]
    fn clear(&mut self) {}
    #[message(name = "tock")]
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
