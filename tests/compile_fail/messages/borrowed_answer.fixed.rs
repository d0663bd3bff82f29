// `messages/borrowed_answer.rs`, repaired.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn last(&self) -> Option<String> {
        self.0.last().cloned()
    }
    #[message]
    fn first(&self) -> String {
        self.0[0].clone()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    println!("{:?}", store.last().await?);
    println!("{}", store.first().await?);
    store.stop();
    Ok(())
}
