// C14. The messages of an actor are methods of a trait, and a method of a trait is found where the trait is imported.
// Repair: Import the trait, which has the name of the actor with `Calls`.
use supervise::prelude::*;

mod store {
    use supervise::prelude::*;

    pub(crate) struct Store(pub(crate) u32);
    #[actor]
    impl Store {
        #[message]
        pub(crate) fn put(&mut self, n: u32) {
            self.0 = n;
        }
    }
}
use store::Store;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.put(3).await?; //~
    store.stop();
    Ok(())
}
