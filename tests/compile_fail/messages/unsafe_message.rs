// C14. A caller of an `unsafe` method promises something about the actor, which it cannot know before the message is
// handled.
// Repair: Remove `unsafe`, and check in the method.
use supervise::prelude::*;

struct Store(Vec<u32>);
#[actor]
impl Store {
    #[message]
    unsafe fn get(&self, at: usize) -> u32 { //~
        unsafe { *self.0.get_unchecked(at) }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    println!("{:?}", store.get(3).await?);
    store.stop();
    Ok(())
}
