// `messages/error_of_any_type.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn read(&mut self, text: &str) -> Result<(), std::num::ParseIntError> {
        self.0 = text.parse()?;
        Ok(())
    }
    #[message]
    fn write(&self) -> Result<(), Thrown> {
        Ok(std::fs::write("store", self.0.to_string())?)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.read("3").await??;
    store.write().await?;
    store.stop();
    Ok(())
}
