// C14. An outer `Thrown` is the failure of the actor, and the inner `Result` is the answer.
// Repair: Write `Thrown` once, outside, and an error type of your own inside.
use supervise::prelude::*;

struct Store(u32);
#[derive(Debug, thiserror::Error)]
#[error("full")]
struct Full;
#[actor]
impl Store {
    #[message]
    fn next(&mut self) -> Result<Result<u32, Thrown>, Thrown> { //~
        std::fs::write("store", self.0.to_string())?;
        Ok(Ok(self.0.checked_add(1).ok_or(Full)?))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{:?}", store.next().await?);
    store.stop();
    Ok(())
}
