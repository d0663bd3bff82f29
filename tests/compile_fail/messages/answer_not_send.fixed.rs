// `messages/answer_not_send.rs`, repaired.
use supervise::prelude::*;

use std::sync::Arc;

trait Shown: std::fmt::Debug + Send {}
impl Shown for u32 {}

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self) -> Arc<u32> {
        self.0.into()
    }
    #[message]
    fn shown(&self) -> Box<dyn Shown> {
        Box::new(self.0)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    println!("{} {:?}", store.size().await?, store.shown().await?);
    store.stop();
    Ok(())
}
