// `messages/unsafe_message.rs`, repaired.
use supervise::prelude::*;

struct Store(Vec<u32>);
#[actor]
impl Store {
    #[message]
    fn get(&self, at: usize) -> Option<u32> {
        self.0.get(at).copied()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    println!("{:?}", store.get(3).await?);
    store.stop();
    Ok(())
}
