// C14. The type of an error says whose it is, and not its name: behind an alias, an error of any type may be both, and so
// may a `Thrown`.
// Repair: Write `Thrown` by this name, or an error type of your own.
use supervise::prelude::*;

type Outcome<T> = Result<T, supervise::BoxError>;
type Failed = Thrown;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn read(&mut self, text: &str) -> Outcome<()> { //~
        self.0 = text.parse()?;
        Ok(())
    }
    #[message]
    fn write(&self) -> Result<(), Failed> { //~
        Ok(std::fs::write("store", self.0.to_string())?)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    drop(store.read("3").await);
    store.stop();
    Ok(())
}
