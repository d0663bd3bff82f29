// `messages/answer_without_a_type.rs`, repaired.
use supervise::prelude::*;

struct Store(Vec<u32>);
#[actor]
impl Store {
    #[message]
    fn all(&self) -> Vec<u32> {
        self.0.clone()
    }
    #[message]
    async fn size(&self) -> usize {
        self.0.len()
    }
    #[message]
    fn fail(&mut self) {
        panic!("no more")
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    println!("{:?}", store.all().await?);
    println!("{}", store.size().await?);
    store.fail().await?;
    store.stop();
    Ok(())
}
