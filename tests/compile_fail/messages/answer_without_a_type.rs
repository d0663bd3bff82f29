// C14. An answer is a value of one type, which the caller gets. A method that never returns would keep the actor for
// ever.
// Repair: Write the type. A future is an `async fn`, and a method without an answer returns nothing.
use supervise::prelude::*;

struct Store(Vec<u32>);
#[actor]
impl Store {
    #[message]
    fn all(&self) -> impl Iterator<Item = u32> + use<> { //~
        self.0.clone().into_iter()
    }
    #[message]
    fn size(&self) -> impl Future<Output = usize> + use<> { //~
        std::future::ready(self.0.len())
    }
    #[message]
    fn fail(&mut self) -> ! { //~
        panic!("no more")
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(vec![]) }).await?;
    println!("{:?}", store.all().await?);
    println!("{}", store.size().await?);
    store.fail().await?;
    store.stop();
    Ok(())
}
