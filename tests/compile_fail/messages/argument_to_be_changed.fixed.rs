// `messages/argument_to_be_changed.rs`, repaired.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn move_to(&mut self, mut all: Vec<String>) -> Vec<String> {
        all.append(&mut self.0);
        all
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    let all = store.move_to(vec![]).await?;
    println!("{all:?}");
    store.stop();
    Ok(())
}
