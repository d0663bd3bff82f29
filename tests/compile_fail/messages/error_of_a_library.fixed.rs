// `messages/error_of_a_library.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn next(&mut self) -> Result<u32, Thrown> {
        self.0 = self.0.checked_add(1).ok_or("the last one")?;
        Ok(self.0)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{:?}", store.next().await?);
    store.stop();
    Ok(())
}
