// C14. A message leaves its sender, so that a method has nothing of the sender that it could change.
// Repair: Take the value, and return the new one.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn move_to(&mut self, all: &mut Vec<String>) { //~
        all.append(&mut self.0);
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    let mut all = vec![];
    store.move_to(&mut all).await?;
    store.stop();
    Ok(())
}
