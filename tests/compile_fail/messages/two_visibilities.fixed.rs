// `messages/two_visibilities.rs`, repaired.
use supervise::prelude::*;

pub(crate) struct Store(u32);
#[actor]
impl Store {
    #[message]
    pub(crate) fn size(&self) -> u32 {
        self.0
    }
    #[message]
    pub(crate) fn put(&mut self, n: u32) {
        self.0 = n;
    }
    #[message]
    fn tick(&mut self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.put(3).await?;
    store.tick().await?;
    println!("{}", store.size().await?);
    store.stop();
    Ok(())
}
