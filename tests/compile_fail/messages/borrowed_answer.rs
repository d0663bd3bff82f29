// C14. An answer leaves the actor, which may be changed or gone before it is read.
// Repair: Return an owned value.
use supervise::prelude::*;

struct Store(Vec<String>);
#[actor]
impl Store {
    #[message]
    fn last(&self) -> Option<&str> { //~
        self.0.last().map(|last| &**last)
    }
    #[message]
    fn first(&self) -> &str { //~
        &self.0[0]
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
