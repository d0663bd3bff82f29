// C14. A private method is a message of its own module, as it is a function of its own module.
// Repair: Write `pub(crate)` or another visibility, and import the trait.
use supervise::prelude::*;

mod store {
    use supervise::prelude::*;

    pub(crate) struct Store(pub(crate) u32);
    #[actor]
    impl Store {
        #[message]
        fn put(&mut self, n: u32) {
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
