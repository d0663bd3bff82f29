// `messages/argument_without_a_type.rs`, repaired.
use supervise::prelude::*;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn give(&self, to: fn(u32)) {
        to(self.0);
    }
    #[message]
    fn lend(&self, to: Box<dyn Fn(u32) + Send>) {
        to(self.0);
    }
    #[message]
    fn label(&self, of: String) -> String {
        of + &self.0.to_string()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.label("a".to_owned()).await?;
    store.give(|n| println!("{n}")).await?;
    store.lend(Box::new(|n| println!("{n}"))).await?;
    store.stop();
    Ok(())
}
