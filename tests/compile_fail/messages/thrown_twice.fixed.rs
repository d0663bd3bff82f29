// `messages/thrown_twice.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[derive(Debug, thiserror::Error)]
#[error("full")]
struct Full;
#[actor]
impl Store {
    #[message]
    fn next(&mut self) -> Result<Result<u32, Full>, Thrown> {
        std::fs::write("store", self.0.to_string())?;
        Ok(self.0.checked_add(1).ok_or(Full))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{:?}", store.next().await?);
    store.stop();
    Ok(())
}
