// C14. An answer crosses from the thread of the actor to that of the caller.
// Repair: Write a type that is `Send`: `Arc` for `Rc`, and `Send` as a part of a trait or behind `dyn`.
use supervise::prelude::*;

use std::rc::Rc;

trait Shown: std::fmt::Debug {}
impl Shown for u32 {}

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn size(&self) -> Rc<u32> { //~
        self.0.into()
    }
    #[message]
    fn shown(&self) -> Box<dyn Shown> { //~
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
