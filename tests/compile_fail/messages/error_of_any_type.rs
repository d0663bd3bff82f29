// C14. The type of an error says whose it is: `Thrown` fails the actor, and each other one is an answer. An error of
// any type may be both.
// Repair: Write `Thrown`, which every error becomes by `?`, or an error type of your own.
use supervise::prelude::*;

use supervise::BoxError;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn read(&mut self, text: &str) -> Result<(), BoxError> { //~
        self.0 = text.parse()?;
        Ok(())
    }
    #[message]
    fn write(&self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> { //~
        Ok(std::fs::write("store", self.0.to_string())?)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.read("3").await?;
    store.write().await?;
    store.stop();
    Ok(())
}
