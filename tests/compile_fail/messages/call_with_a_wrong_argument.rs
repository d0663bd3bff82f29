// C14. A call takes the arguments of its method.
// Repair: Give a value of this type.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn put(&mut self, n: u32) {
        self.0 = n;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.put("three").await?; //~
    store.stop();
    Ok(())
}
