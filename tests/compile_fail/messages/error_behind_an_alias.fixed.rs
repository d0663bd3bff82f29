// `messages/error_behind_an_alias.rs`, repaired.
use supervise::prelude::*;

type Outcome<T> = Result<T, std::num::ParseIntError>;

struct Store(u32);
#[actor]
impl Store {
    #[message]
    fn read(&mut self, text: &str) -> Outcome<()> {
        self.0 = text.parse()?;
        Ok(())
    }
    #[message]
    fn write(&self) -> Result<(), Thrown> {
        Ok(std::fs::write("store", self.0.to_string())?)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = spawn(child! { "store": Store = Store(0) }).await?;
    store.read("3").await??;
    store.stop();
    Ok(())
}
