// C14. Messages are marked inside an `#[actor] impl`. In any other block no macro would read the mark.
// Repair: Move the method into the `#[actor] impl`.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self) -> u32 {
        self.0
    }
}
impl Store {
    #[message] //~
    fn put(&mut self, n: u32) {
        self.0 = n;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{}", store.size().await?);
    store.stop();
    Ok(())
}
