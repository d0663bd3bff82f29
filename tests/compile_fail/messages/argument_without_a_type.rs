// C14. A message is a value of one type, and owns what is in it.
// Repair: Write the type, or a `Box` of the trait.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn give(&self, to: impl Fn(u32)) { //~
        to(self.0);
    }
    #[message]
    fn lend(&self, to: &dyn Fn(u32)) { //~
        to(self.0);
    }
    #[message]
    fn label(&self, of: impl Into<String>) -> String { //~
        of.into() + &self.0.to_string()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.label("a").await?;
    store.give(|n| println!("{n}")).await?;
    store.lend(&|n| println!("{n}")).await?;
    store.stop();
    Ok(())
}
